import assert from "node:assert/strict";

import { ChangingCluster } from "./support/changing";
import { useNamespace } from "./support/namespace";
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

    it("gives its token to one container, which the broker and the jobs can't read", async () => {
        const find = [
            "sh",
            "-c",
            "find / -xdev -name token -path '*minicluster*' 2>/dev/null; ls /run/secrets /var/run/secrets 2>&1 | grep -c kube",
        ];
        for (const rank of [0]) {
            const found = await namespace.exec("sizes", find, rank).catch((error: Error) => error.message);
            assert.doesNotMatch(found, /token/);
        }
        const ran = await cluster.flux("run", ...find).catch((error: Error) => error.message);
        assert.doesNotMatch(ran, /token/);
    });

    it("leaves nothing when it is destroyed", async () => {
        await cluster.stack.destroy();
        await namespace.assertNothingLeft();
    });
});
