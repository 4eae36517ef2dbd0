import assert from "node:assert/strict";

import { MiniCluster } from "flux-minicluster";

import { ARCHIVES } from "../../e2e/support/archives";
import { ChangingCluster } from "../../e2e/support/changing";
import { MERGE } from "../../e2e/support/liveCluster";
import { useNamespace } from "../../e2e/support/namespace";
import { COMMAND, doTo } from "../../e2e/support/podActions";
import { bindFit } from "../../e2e/support/rights";
import { SleepingCluster } from "../../e2e/support/sleepingCluster";
import { until } from "../../e2e/support/until";
import { Halves } from "../support/halves";
import { Queues, kubernetesWithKueue } from "../support/kueue";

/** `KUEUE_ROUNDS=3` tries fewer. */
const ROUNDS = Number(process.env["KUEUE_ROUNDS"] ?? 20);
const CPU = { requests: { cpu: "100m" }, limits: { cpu: "1" } };
const PRIORITY = "kueue.x-k8s.io/priority-class";
const LEAST_PODS = "kueue.x-k8s.io/job-min-parallelism";

describe("MiniClusters that share the real Kueue", function () {
    // Kueue may have to be built.
    this.timeout(1_800_000);
    const kueue = kubernetesWithKueue();
    const namespace = useNamespace({ world: kueue.world });
    const queues = new Queues(namespace);
    const archive = () => ({ hostPath: ARCHIVES, folder: namespace.name });
    const cluster = (name: string, args: ChangingCluster["args"]) =>
        new ChangingCluster(namespace, name, { resources: CPU, queueName: "team", ...args });
    const priority = (name: string) => ({ [PRIORITY]: queues.shared(name) });
    const isReady = (of: ChangingCluster, ranks: number) =>
        until(
            `${of.name} has ${ranks} ranks`,
            async () => ((await of.liveJob())?.status?.ready === ranks ? true : undefined),
            180,
        );

    before(async () => {
        await queues.make({
            flavors: [{ name: "plain", cpu: "400m" }],
            preemption: { withinClusterQueue: "LowerPriority" },
        });
        await queues.priorities({ low: 1, high: 1000 });
    });
    after(() => queues.removeAll());
    after(() => kueue.remove());

    it("keep their jobs when a higher priority takes the quota, and go on when they get it back", async () => {
        const low = cluster("low", { size: 4, archive: archive(), labels: priority("low") });
        await low.stack.up();
        await low.flux("run", "--job-name=finished", "true");
        await low.flux("submit", "--urgency=hold", "--job-name=held", "hostname");
        const high = cluster("high", { size: 2, command: ["hostname"], labels: priority("high") });
        const { outputs } = await high.stack.up();
        assert.match(outputs.cluster.output, /high-1/);
        await isReady(low, 4);
        const list = await low.flux("jobs", "-a", "--no-header", "-o", "{name} {state}");
        assert.match(list, /^finished INACTIVE$/m);
        assert.match(list, /^held SCHED ?$/m);
        await low.stack.unchanged();
        await low.stack.destroy();
    });

    it("run their command from the beginning when they get the quota back", async () => {
        const work = cluster("work", {
            size: 4,
            command: [
                "sh",
                "-c",
                "echo start >>/count/$1; while [ ! -e /count/$1.end ]; do sleep 0.2; done",
                "x",
                namespace.name,
            ],
            labels: priority("low"),
            volumes: [{ name: "count", mountPath: "/count", hostPath: "/tmp" }],
        });
        const up = work.stack.up();
        const count = `/tmp/${namespace.name}`;
        const read = () => namespace.exec("work", ["cat", `/count/${namespace.name}`]).catch(() => "");
        await until("the command runs", async () => (/start/.test(await read()) ? true : undefined), 120);
        const urgent = cluster("urgent", { size: 2, command: ["true"], labels: priority("high") });
        await urgent.stack.up();
        await until("the command runs again", async () => (/start\nstart/.test(await read()) ? true : undefined), 120);
        assert.match(work.stack.printed, /waits in its queue: .*Preempted to accommodate a workload/);
        await namespace.exec("work", ["touch", `/count/${namespace.name}.end`]);
        const { outputs } = await up;
        assert.deepEqual([outputs.cluster.exitCode, outputs.cluster.phase], [0, "succeeded"], count);
    });

    it("are told by a preview what the quota of the queue has at the moment", async () => {
        const unbind = await bindFit(namespace);
        const most = cluster("most", { size: 3 });
        try {
            const wide = cluster("wide", { size: 5 });
            const told = async () => (await wide.preview()).warnings.join("\n");
            assert.match(
                await told(),
                /^wide: 5 pods of 0\.1 cpu.* can never start: queue team \(ClusterQueue \S+\) has 0\.4 cpu in all, and 5 pods need 0\.5 cpu; size 4 could start\.$/m,
            );
            wide.set({ size: 2 });
            assert.equal(await told(), "");
            await most.stack.up();
            assert.match(
                await told(),
                /^wide: 2 pods of 0\.1 cpu.*: queue team \(.*\) leaves 0\.1 of 0\.4 cpu; Kueue starts all/m,
            );
            await queues.setCpu("500m");
            assert.equal(await told(), "");
        } finally {
            await queues.setCpu("400m");
            await most.stack.destroy();
            await unbind();
        }
    });

    it("keep their quota when the node of their pods is lost, and come back when there is one", async () => {
        const { core } = namespace.kube;
        const [node] = (await core.listNode()).items;
        const name = node?.metadata?.name ?? "";
        const cordon = (unschedulable: boolean) => core.patchNode({ name, body: { spec: { unschedulable } } }, MERGE);
        const moved = cluster("moved", { size: 2, command: COMMAND, tasks: 1, onRankLoss: "rerun" });
        const up = moved.stack.up();
        await isReady(moved, 2);
        try {
            await cordon(true);
            await doTo(namespace, "moved", 1, "node is lost");
            await doTo(namespace, "moved", 0, "node is lost");
            const words = /moved-\d\S* Unschedulable: 0\/1 nodes are available: 1 node\(s\) were unschedulable/;
            await until("the row says so", async () => (words.test(moved.stack.printed) ? true : undefined), 90);
            assert.equal(await queues.used(), "200m");
        } finally {
            await cordon(false);
        }
        await isReady(moved, 2);
        await doTo(namespace, "moved", 0, "command succeeds");
        assert.equal((await up).outputs.cluster.phase, "succeeded");
    });

    it("start with the pods that fit, by partial admission", async () => {
        const part = cluster("part", { size: 6, minSize: 2, annotations: { [LEAST_PODS]: "2" } });
        const { outputs } = await part.stack.up();
        assert.equal(outputs.cluster.phase, "ready");
        const { completions, parallelism } = (await part.job()).spec ?? {};
        assert.deepEqual([completions, parallelism], [4, 4]);
        await part.stack.unchanged();
        assert.equal((await part.flux("run", "-N4", "-n4", "hostname")).split("\n").length, 4);
        part.set({ annotations: { [LEAST_PODS]: "2", note: "changed" } });
        await part.stack.up();
        await part.stack.destroy();
    });

    describe("and size themselves", () => {
        let sleeps: SleepingCluster;

        before(async () => {
            sleeps = new SleepingCluster(namespace);
            sleeps.set({ queueName: "team", resources: CPU });
            await sleeps.stack.up();
        });

        const asleep = () =>
            until(
                "the cluster sleeps",
                async () => {
                    const pods = await namespace.pods("sleeps");
                    return (await sleeps.job()).spec?.parallelism === 0 && pods.length === 0 ? true : undefined;
                },
                120,
            );

        it("grow for jobs, and give the quota back when they sleep", async () => {
            await sleeps.flux("run", "-N2", "-n2", "true");
            await asleep();
            await until("the quota is free", async () => ((await queues.used()) === "0" ? true : undefined));
            await sleeps.stack.refresh();
            assert.equal((await sleeps.job()).spec?.suspend, false);
        });

        it("wait in the queue when they wake in a full one", async () => {
            const full = cluster("full", { size: 4 });
            await full.stack.up();
            const from = sleeps.stack.printed.length;
            const up = sleeps.stack.up();
            await until("the row says that it waits", async () =>
                /waits in its queue: first of 1 in team; quota: 0\.\d+ cpu more needed/.test(
                    sleeps.stack.printed.slice(from),
                )
                    ? true
                    : undefined,
            );
            await full.stack.destroy();
            assert.equal((await up).outputs.cluster.phase, "ready");
            await sleeps.stack.destroy();
        });
    });

    it(`lose no job in ${ROUNDS} losses of the quota at random moments`, async () => {
        const kept = cluster("kept", { size: 2, archive: { ...archive(), folder: `${namespace.name}-kept` } });
        await kept.stack.up();
        const ids: string[] = [];
        for (let round = 0; round < ROUNDS; round++) {
            ids.push(...(await kept.flux("submit", "--cc=1-3", "true")).split("\n"));
            await new Promise((resolve) => setTimeout(resolve, Math.random() * 1500));
            await queues.patch("ClusterQueue", queues.shared("team"), { stopPolicy: "HoldAndDrain" }, false);
            await until(
                "the pods are gone",
                async () => ((await namespace.pods("kept")).length === 0 ? true : undefined),
                120,
            );
            await queues.patch("ClusterQueue", queues.shared("team"), { stopPolicy: "None" }, false);
            await isReady(kept, 2);
        }
        const known = (await kept.flux("jobs", "-a", "--no-header", "--count=0", "-o", "{id}")).split("\n");
        assert.deepEqual(
            ids.filter((id) => !known.includes(id)),
            [],
        );
        await kept.stack.unchanged();
        await kept.stack.destroy();
    });

    it(`start one after the other, ${ROUNDS} of ${ROUNDS} times, if both need two thirds of the quota`, async () => {
        let round = 0;
        const args = () => ({
            image: namespace.image,
            size: 3,
            command: ["true"],
            queueName: "team",
            resources: CPU,
            triggers: [round],
        });
        const stack = namespace.stack("both", async () => {
            const [one, two] = ["one", "two"].map((name) => new MiniCluster(name, args()));
            return { phases: [one.phase, two.phase] };
        });
        for (; round < ROUNDS; round++) {
            assert.deepEqual((await stack.up()).outputs.phases, ["succeeded", "succeeded"]);
        }
    });
});

describe("MiniClusters without a queue that each get nodes for a part of their pods", function () {
    this.timeout(300_000);
    const namespace = useNamespace();

    it("are told within 30 s, each with the other's name and the number of pods that it lacks", () =>
        Halves.areTold(namespace));
});
