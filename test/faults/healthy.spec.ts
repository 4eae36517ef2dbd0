import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";

import { MiniCluster } from "flux-minicluster";

import { root } from "../../scripts/local/paths";
import { ChangingCluster } from "../e2e/support/changing";
import { doctor } from "../e2e/support/doctor";
import { rankOf, useNamespace } from "../e2e/support/namespace";
import { doTo } from "../e2e/support/podActions";
import { SleepingCluster } from "../e2e/support/sleepingCluster";
import { until } from "../e2e/support/until";

const main = join(root, "dist", "cli", "main.js");

/** Present from the moment at which the test creates the ConfigMap. */
const SWITCH = "/switch/on";
const switched = {
    volumes: [{ name: "switch", mountPath: "/switch", source: { configMap: { name: "switch", optional: true } } }],
};
const bare = { restful: { enabled: false } };

/** The namespace's account may not read nodes, and these groups say so. */
const WITHOUT_RIGHTS = ["DNS", "nodes", "rights"];

/** Clusters that are well, but aren't new and whole: the kinds of test/unit/cli/doctor/healthy.ts that one cluster can have. */
describe("minicluster doctor and status find nothing wrong with a MiniCluster", function () {
    this.timeout(900_000);
    const namespace = useNamespace();
    let sizes: ChangingCluster;
    let sleeps: SleepingCluster;
    let ill: ReturnType<typeof namespace.stack>;

    before(async () => {
        sizes = new ChangingCluster(namespace, "sizes", { size: 2, maxSize: 3 });
        sleeps = new SleepingCluster(namespace);
        const { image } = namespace;
        const well = namespace.stack("well", async () => {
            new MiniCluster("done", { image, command: ["true"] });
            new MiniCluster("runs", { image, command: ["sleep", "inf"], waitFor: "ready" });
            new MiniCluster("guarded", { image, ...bare, disruptionBudget: true, network: "hosts" });
        });
        ill = namespace.stack("ill", async () => {
            const timeouts = { podStart: 5, ready: 5 };
            new MiniCluster("again", { image, ...switched, command: ["test", "-e", SWITCH] });
            new MiniCluster("cured", { image, ...bare, ...switched, timeouts, hooks: { init: `[ -e ${SWITCH} ]` } });
        });
        await Promise.all([sizes.stack.up(), sleeps.stack.up(), well.up()]);
        // Alone, because programs of one process share its unhandled rejections.
        await ill.failsInPart();
        await namespace.untilCounted("sizes", 2);
    });

    async function isWell(name: string, ...states: readonly string[]): Promise<void> {
        const { checks, code, lines } = await doctor(namespace.kubeconfig, name);
        const others = checks.filter(({ group, level }) => level !== "ok" && !WITHOUT_RIGHTS.includes(group));
        assert.deepEqual([code, others], [0, []], lines);
        const env = { ...process.env, KUBECONFIG: namespace.kubeconfig };
        const { stdout } = await promisify(execFile)(process.execPath, [main, "status", name, "--json"], { env });
        const { phase, ranks } = JSON.parse(stdout) as { phase: string; ranks: { state: string }[] };
        assert.deepEqual([phase, ...ranks.map(({ state }) => state)], states);
    }

    const ended = (cluster: ChangingCluster) =>
        cluster.flux("cancel", "--all").then(() => cluster.flux("queue", "idle"));

    it("which is not said of one that fails, until its cause is cured", async () => {
        const before = await doctor(namespace.kubeconfig, "cured");
        assert.equal(before.code, 1, before.lines);
        const body = { metadata: { name: "switch" }, data: { on: "" } };
        await namespace.kube.core.createNamespacedConfigMap({ namespace: namespace.name, body });
        await namespace.untilCounted("cured", 1);
        await isWell("cured", "ready", "ready");
    });

    it("that has ranks left up to maxSize", () => isWell("sizes", "ready", "ready", "ready"));

    it("that is busy, with jobs that wait for ranks and for each other", async () => {
        const first = (await sizes.flux("submit", "-N2", "--exclusive", "sleep", "inf")).trim();
        await sizes.flux("submit", "-N2", "--job-name=next", "true");
        await sizes.flux("submit", `--dependency=afterany:${first}`, "--job-name=after", "true");
        await isWell("sizes", "ready", "ready", "ready");
        await ended(sizes);
    });

    for (const rank of [1, 0]) {
        it(`whose rank ${rank} was evicted and has joined again`, async () => {
            const podOf = async () =>
                (await namespace.pods("sizes")).find(
                    (pod) => rankOf(pod) === rank && pod.metadata?.deletionTimestamp === undefined,
                );
            const before = (await podOf())?.metadata?.uid;
            await doTo(namespace, "sizes", rank, "pod is evicted");
            await until("its next pod exists", async () => {
                const uid = (await podOf())?.metadata?.uid;
                return uid !== undefined && uid !== before ? true : undefined;
            });
            await joined(2);
            await isWell("sizes", "ready", "ready", "ready");
        });
    }

    /** Waits until Flux has all ranks, and the Job counts them. */
    async function joined(count: number): Promise<void> {
        await namespace.untilCounted("sizes", count);
        await until("all brokers have joined", async () => {
            const up = await sizes.flux("resource", "list", "-no", "{nnodes}", "-s", "up").catch(() => "");
            return up.trim() === String(count) ? true : undefined;
        });
    }

    it("that was made as large as it can be", async () => {
        sizes.set({ size: 3 });
        await sizes.stack.up();
        await joined(3);
        await isWell("sizes", "ready", "ready", "ready", "ready");
    });

    it("that was made smaller", async () => {
        sizes.set({ size: 2 });
        await sizes.stack.up();
        await until("the pod has left", async () => ((await namespace.pods("sizes")).length === 2 ? true : undefined));
        await isWell("sizes", "ready", "ready", "ready");
    });

    it("whose pods had warnings before they started", async () => {
        const [pod] = await namespace.pods("sizes");
        const { name, uid } = pod?.metadata ?? {};
        await namespace.kube.core.createNamespacedEvent({
            namespace: namespace.name,
            body: {
                metadata: { name: "late", namespace: namespace.name },
                involvedObject: { apiVersion: "v1", kind: "Pod", name, namespace: namespace.name, uid },
                lastTimestamp: pod?.metadata?.creationTimestamp,
                message: "0/2 nodes are available",
                reason: "FailedScheduling",
                type: "Warning",
            },
        });
        await isWell("sizes", "ready", "ready", "ready");
    });

    it("that sizes itself, and has one of two ranks", async () => {
        await sleeps.command("wake");
        await sleeps.flux("submit", "sleep", "inf");
        await isWell("sleeps", "ready", "ready");
    });

    it("that has grown for a job", async () => {
        await sleeps.flux("submit", "-N2", "--exclusive", "sleep", "inf");
        await namespace.untilCounted("sleeps", 2);
        await isWell("sleeps", "ready", "ready", "ready");
        await ended(sleeps);
    });

    it("that sleeps", async () => {
        await sleeps.asleep();
        await isWell("sleeps", "asleep");
    });

    it("that is awake again, and sleeps again with a job that is held", async () => {
        await sleeps.command("wake");
        await sleeps.flux("submit", "--urgency=hold", "true");
        await sleeps.asleep();
        await isWell("sleeps", "asleep");
    });

    it("whose command runs", () => isWell("runs", "ready", "ready"));

    it("that has a budget and finds its ranks without DNS, while a job runs", async () => {
        await namespace.exec("guarded", ["flux", "submit", "sleep", "inf"]);
        await isWell("guarded", "ready", "ready");
    });

    it("whose command has completed", () => isWell("done", "succeeded", "exit code 0"));

    it("whose command has completed after a failed run", async () => {
        await ill.up();
        await isWell("again", "succeeded", "exit code 0");
    });

    it("whose command has completed in a namespace that is full", async () => {
        const body = { metadata: { name: "full" }, spec: { hard: { pods: "1" } } };
        await namespace.kube.core.createNamespacedResourceQuota({ namespace: namespace.name, body });
        await isWell("done", "succeeded", "exit code 0");
    });
});
