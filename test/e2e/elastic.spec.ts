import assert from "node:assert/strict";

import { ChangingCluster } from "./support/changing";
import { useNamespace } from "./support/namespace";
import { SleepingCluster } from "./support/sleepingCluster";
import { until } from "./support/until";

const ELASTIC = "flux-minicluster/elastic";

describe("MiniCluster that sizes itself", function () {
    this.timeout(300_000);
    const namespace = useNamespace();
    let cluster: ChangingCluster;
    const sizes: number[] = [];

    /** The size of the Job, which must have both numbers equal. */
    async function size(): Promise<number> {
        const { completions, parallelism } = (await cluster.job()).spec ?? {};
        assert.equal(completions, parallelism);
        const now = completions ?? 0;
        if (sizes.at(-1) !== now) {
            sizes.push(now);
        }
        return now;
    }

    const reaches = (wanted: number) =>
        until(`the size is ${wanted}`, async () => ((await size()) === wanted ? true : undefined));

    before(async () => {
        cluster = new ChangingCluster(namespace, "sizes", {
            size: 1,
            maxSize: 4,
            elastic: { cooldown: 5 },
            resources: { limits: { cpu: "1" }, requests: { cpu: "10m" } },
        });
        await cluster.stack.up();
    });

    it("grows for a burst of jobs, completes all of them, and shrinks again", async () => {
        await reaches(1);
        const jobs = (await cluster.flux("submit", "--cc=1-12", "sleep", "2")).trim().split("\n");
        const wide = (await cluster.flux("submit", "-N3", "-n3", "sleep", "1")).trim();
        await reaches(4);
        await until("all jobs have ended", async () =>
            (await cluster.flux("jobs", "--no-header", "--format={id}")).trim() === "" ? true : undefined,
        );
        const results = (await cluster.flux("jobs", "-a", "--no-header", "--count=0", "--format={result}")).trim();
        assert.deepEqual([...new Set(results.split("\n"))], ["COMPLETED"]);
        assert.equal(results.split("\n").length, [...jobs, wide].length);
        await reaches(1);
        assert.deepEqual(sizes[0], 1);
        assert.ok(
            sizes.indexOf(4) <= 2,
            `the cluster grows in one or two steps, but had the sizes ${sizes.join(", ")}`,
        );
    });

    it("says at the Job why it has its size", async () => {
        const note = await until("the note is up to date", async () => {
            const text = (await cluster.job()).metadata?.annotations?.[ELASTIC];
            const found = JSON.parse(text ?? "{}") as { size?: number; want?: number; why?: string };
            return found.size === 1 && found.why === "no jobs" ? found : undefined;
        });
        assert.equal(note.want, 1);
    });

    it("shows no changes in a preview, an update and a refresh, whatever its size is", async () => {
        const [job] = (await cluster.flux("submit", "-N2", "-n2", "sleep", "inf")).trim().split("\n");
        await reaches(2);
        await cluster.assertUnchanged();
        cluster.set({ size: 3 });
        const { changes } = await cluster.preview();
        assert.deepEqual(changes, {});
        cluster.set({ size: 1, annotations: { note: "changed" } });
        await cluster.stack.up();
        const { metadata } = await cluster.job();
        assert.equal(metadata?.annotations?.note, "changed");
        assert.ok(metadata?.annotations?.[ELASTIC]);
        assert.equal(await size(), 2);
        await cluster.flux("cancel", job);
    });

    it("takes over a changed cool-down without another pod", async () => {
        const lead = async () => (await namespace.pods("sizes"))[0].metadata?.uid;
        const before = await lead();
        cluster.set({ elastic: { cooldown: 6 } });
        assert.deepEqual((await cluster.preview()).changes, { "sizes-job": "update" });
        await cluster.stack.up();
        const settings = (await cluster.job()).metadata?.annotations?.[`${ELASTIC}-settings`];
        assert.deepEqual(JSON.parse(settings ?? ""), { cooldown: 6 });
        assert.equal(await lead(), before);
        await cluster.assertUnchanged();
    });

    it("gives its token to one container, which the brokers and the jobs can't read", async () => {
        const find =
            "find / -xdev -type l -name token 2>/dev/null; ls /run/flux-minicluster /var/run/secrets 2>/dev/null; true";
        assert.equal(await namespace.exec("sizes", ["sh", "-c", find]), "");
        assert.equal(await cluster.flux("run", "sh", "-c", find), "");
        const { kube, name } = namespace;
        const pods = await namespace.pods("sizes");
        const mounts = pods.flatMap(({ spec }) => [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])]);
        const hasToken = mounts.filter(({ volumeMounts = [] }) =>
            volumeMounts.some((mount) => mount.name === "flux-elastic"),
        );
        assert.deepEqual([...new Set(hasToken.map((container) => container.name))], ["flux-elastic"]);
        const { rules } = await kube.rbac.readNamespacedRole({ name: "sizes-elastic", namespace: name });
        const own = { apiGroups: ["batch"], resources: ["jobs"], resourceNames: ["sizes"], verbs: ["get", "patch"] };
        assert.deepEqual(JSON.parse(JSON.stringify(rules)), [own]);
    });

    it("leaves nothing when it is destroyed", async () => {
        await cluster.stack.destroy();
        await namespace.assertNothingLeft();
    });
});

describe("MiniCluster that sleeps", function () {
    this.timeout(300_000);
    const namespace = useNamespace();
    let cluster: SleepingCluster;

    before(async () => {
        cluster = new SleepingCluster(namespace);
        await cluster.stack.up();
    });

    it("sleeps without jobs, and keeps its finished and held jobs", async () => {
        await cluster.flux("run", "--job-name=finished", "true");
        await cluster.flux("submit", "--urgency=hold", "--job-name=held", "true");
        await cluster.asleep();
        assert.ok((await cluster.job()).metadata?.annotations?.["flux-minicluster/asleep"]);
    });

    it("shows its phase after a refresh, which finds no changes, and is woken by the next update", async () => {
        for (let times = 0; times < 2; times++) {
            await cluster.stack.refresh(true);
            assert.equal(cluster.child("status")?.outputs?.phase, "asleep");
        }
        assert.equal(cluster.child("job")?.outputs?.manifest.spec.suspend, false);
        const { changes } = await cluster.preview();
        assert.deepEqual(changes, { "sleeps-job": "update", "sleeps-status": "update" });
        const up = await cluster.stack.up();
        assert.equal(up.outputs.cluster.phase, "ready");
        assert.deepEqual((await cluster.flux("jobs", "-a", "--no-header", "--format={name}")).split("\n").sort(), [
            "finished",
            "held",
        ]);
        await cluster.stack.preview(true);
    });

    it("is woken by an update without a refresh, which waits until it is ready", async () => {
        await cluster.asleep();
        await cluster.stack.up();
        assert.equal(await cluster.flux("run", "echo", "awake"), "awake");
    });

    it("is woken by minicluster submit", async () => {
        await cluster.asleep();
        const { stdout: list } = await cluster.command("list", "--json");
        assert.deepEqual(
            (JSON.parse(list) as { phase: string }[]).map(({ phase }) => phase),
            ["asleep"],
        );
        await assert.rejects(cluster.command("jobs"), /is asleep\. minicluster wake wakes it/);
        // The second one may find a cluster that wakes, and waits for it too.
        const both = await Promise.all(
            ["by a job", "by another"].map((word) => cluster.command("submit", "echo", word)),
        );
        assert.deepEqual(
            both.map(({ stdout }) => stdout),
            ["by a job\n", "by another\n"],
        );
        // The last update has found the cluster ready, and nobody but a job has woken it since.
        await cluster.stack.refresh(true);
        assert.match((await cluster.command("status")).stdout, /^sizes itself: needs (\d) of \1 ranks \(.*\)$/m);
    });
});
