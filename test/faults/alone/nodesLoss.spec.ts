import assert from "node:assert/strict";

import type { V1Pod } from "@kubernetes/client-node";
import type { MiniClusterArgs } from "flux-minicluster";

import { ARCHIVES } from "../../e2e/support/archives";
import { GuardedCluster } from "../../e2e/support/guardedCluster";
import { isReady } from "../../e2e/support/kube";
import { rankOf, useNamespace } from "../../e2e/support/namespace";
import { SecondCluster } from "../../e2e/support/secondCluster";
import { startKubernetes } from "../../e2e/support/secondKubernetes";
import { until } from "../../e2e/support/until";
import { LostNode } from "../support/lostNode";

describe("the loss of nodes", function () {
    this.timeout(900_000);
    const kubernetes = new SecondCluster();
    const namespace = useNamespace({ world: () => startKubernetes(kubernetes, { NODES: "3" }) });
    after(() => kubernetes.remove());
    const lost: LostNode[] = [];

    afterEach(async () => {
        await Promise.all(lost.splice(0).map((node) => node.start()));
    });

    /** The pod of a rank that is not being deleted. */
    async function podOf(cluster: string, rank: number): Promise<V1Pod | undefined> {
        const pods = await namespace.pods(cluster);
        return pods.find((pod) => rankOf(pod) === rank && pod.metadata?.deletionTimestamp === undefined);
    }

    /** Takes the power from the nodes of these ranks, and waits until Kubernetes notices it. */
    async function stopNodesOf(cluster: string, ...ranks: readonly number[]): Promise<LostNode[]> {
        const pods = await Promise.all(ranks.map((rank) => podOf(cluster, rank)));
        const nodes = pods.map((pod) => new LostNode(kubernetes, namespace.kube, pod?.spec?.nodeName ?? ""));
        lost.push(...nodes);
        await Promise.all(nodes.map((node) => node.stop()));
        return nodes;
    }

    /** Waits until each rank has a pod that is ready. Returns the seconds since a moment. */
    async function ready(cluster: string, size: number, since: number): Promise<number> {
        const look = async () => {
            const pods = await Promise.all(Array.from({ length: size }, (_, rank) => podOf(cluster, rank)));
            return pods.every(isReady) || undefined;
        };
        await until("each rank has a pod that is ready", look, 180);
        return Math.round((Date.now() - since) / 1000);
    }

    async function stays(name: string, args: Partial<Omit<MiniClusterArgs, "image">> = {}): Promise<GuardedCluster> {
        const archive = { hostPath: ARCHIVES, folder: `${namespace.name}-${name}`, period: 1 };
        const cluster = new GuardedCluster(namespace, name, { size: 3, placement: "spread", archive, ...args });
        await cluster.stack.up();
        return cluster;
    }

    const CASES = [
        ["a follower", [2]],
        ["the lead", [0]],
        ["the lead and a follower", [0, 2]],
    ] as const;
    for (const [who, ranks] of CASES) {
        it(`leaves a persistent cluster its waiting jobs, and is named with its cure: ${who}`, async () => {
            const name = `stays-${ranks.join("-")}`;
            const cluster = await stays(name);
            const held = await cluster.flux("submit", "--urgency=hold", "hostname");
            await untilArchived(cluster, name, held);
            const nodes = await stopNodesOf(name, ...ranks);
            const said = await until("the status names the nodes", async () => {
                const text = await cluster.command("status");
                return nodes.every((node) => text.includes(`node ${node.name} has not been ready since `))
                    ? text
                    : undefined;
            });
            for (const { name: node } of nodes) {
                assert.match(said, new RegExp(` node lost +${node} [^]*kubectl taint node ${node} `));
            }
            const begun = Date.now();
            await Promise.all(nodes.map((node) => node.giveUp()));
            console.log(`      all ranks are ready ${await ready(name, 3, begun)} s after the taint`);
            await cluster.flux("job", "urgency", held, "16");
            await until("the job has run", async () => (await resultOf(cluster, held)) === "COMPLETED" || undefined);
            await untilThreeHosts(cluster);

            await Promise.all(lost.splice(0).map((node) => node.start()));
            assert.equal((await namespace.pods(name)).length, 3, "the pods of the lost nodes don't come back");
            await untilThreeHosts(cluster);
            await cluster.stack.destroy();
        });
    }

    it("leaves a cluster that sizes itself the ranks that its jobs need", async () => {
        const cluster = await stays("sizes", { size: undefined, maxSize: 3, cores: 1, elastic: { cooldown: 5 } });
        await cluster.flux("run", "-N3", "hostname");
        const job = await cluster.flux("submit", "-N3", "sleep", "inf");
        await cluster.flux("job", "wait-event", job, "start");
        const nodes = await stopNodesOf("sizes", 2);
        const next = await cluster.flux("submit", "-N3", "hostname");
        const begun = Date.now();
        await Promise.all(nodes.map((node) => node.giveUp()));
        await until("the lost job has failed", async () => (await resultOf(cluster, job)) === "FAILED" || undefined);
        const ran = async () => (await resultOf(cluster, next)) === "COMPLETED" || undefined;
        await until("the next job has run on three ranks", ran, 180);
        console.log(`      the next job has run ${Math.round((Date.now() - begun) / 1000)} s after the taint`);
        await cluster.stack.destroy();
    });

    const COMMAND = ["sh", "-c", "until [ -e /tmp/end ]; do sleep 0.2; done"];

    async function runs(name: string, args: Partial<Omit<MiniClusterArgs, "image">>): Promise<GuardedCluster> {
        const all = { size: 2, command: COMMAND, waitFor: "ready", placement: "exclusive", ...args } as const;
        const cluster = new GuardedCluster(namespace, name, all);
        await cluster.stack.up();
        await until("the tasks run", async () => (await stateOf(cluster)) === "RUN" || undefined);
        return cluster;
    }

    it("fails a command by default, and the update names the node", async () => {
        const cluster = await runs("fails", {});
        cluster.set({ waitFor: "completed" });
        const failing = assert.rejects(cluster.stack.up(), /Flux lost rank 1: fails-1-\w+ on node node-\d\. /);
        await stopNodesOf("fails", 1);
        await failing;
    });

    it("starts a command again with onRankLoss rerun, when the rank has a new pod", async () => {
        const cluster = await runs("again", { onRankLoss: "rerun" });
        const begun = Date.now();
        const [node] = await stopNodesOf("again", 1);
        await node?.giveUp();
        await untilAttempt("again", 2);
        console.log(`      attempt 2 begins ${Math.round((Date.now() - begun) / 1000)} s after the loss`);
        await cluster.stack.destroy();
    });

    it("starts a command again with onRankLoss continue, before Kubernetes gives up the node", async () => {
        await runs("goes-on", { onRankLoss: "continue", minSize: 1 });
        const begun = Date.now();
        await stopNodesOf("goes-on", 1);
        await untilAttempt("goes-on", 2);
        console.log(`      attempt 2 begins ${Math.round((Date.now() - begun) / 1000)} s after the loss`);
    });

    it("names the node that keeps a Job which is destroyed, and what to do", async () => {
        const cluster = await runs("kept", { timeouts: { delete: 60 } });
        const [node] = await stopNodesOf("kept", 1);
        await assert.rejects(
            cluster.stack.destroy(),
            new RegExp(
                `60 s after it was deleted; kept-1-\\w+ is lost: node ${node?.name} has not been ready since .*kubectl taint`,
            ),
        );
        await node?.giveUp();
        await cluster.stack.destroy();
        await namespace.assertNothingLeft((object) => object.includes("/kept"));
    });

    it("starts a command again if its lead is lost", async () => {
        const cluster = await runs("leads", { onRankLoss: "rerun" });
        const former = await podOf("leads", 0);
        const begun = Date.now();
        const [node] = await stopNodesOf("leads", 0);
        await node?.giveUp();
        await untilAttempt("leads", 2, former);
        console.log(`      attempt 2 begins ${Math.round((Date.now() - begun) / 1000)} s after the loss`);
        await cluster.stack.destroy();
    });

    it("ends with the Node object, as with an autoscaler: a follower comes back on another node", async () => {
        const cluster = await stays("deleted");
        const before = await podOf("deleted", 1);
        const node = before?.spec?.nodeName ?? "";
        const begun = Date.now();
        await kubernetes.nodes("remove", node);
        await until(
            "the pod is gone",
            async () => (await podOf("deleted", 1))?.metadata?.uid !== before?.metadata?.uid || undefined,
        );
        console.log(`      all ranks are ready ${await ready("deleted", 3, begun)} s after the removal`);
        await untilThreeHosts(cluster);
        assert.equal(await kubernetes.nodes("add"), node);
        await cluster.stack.destroy();
    });

    it("ends the pods in order if a node lives on: the queue is saved, and running jobs are cancelled with the lead", async () => {
        const cluster = await stays("lives");
        const lead = await podOf("lives", 0);
        const running = await cluster.occupy(1);
        const held = await cluster.flux("submit", "--urgency=hold", "hostname");
        const begun = Date.now();
        const node = new LostNode(kubernetes, namespace.kube, lead?.spec?.nodeName ?? "");
        lost.push(node);
        await node.giveUp();
        await until("the lead is replaced", async () => {
            const uid = (await podOf("lives", 0))?.metadata?.uid;
            return (uid !== undefined && uid !== lead?.metadata?.uid) || undefined;
        });
        console.log(`      all ranks are ready ${await ready("lives", 3, begun)} s after the taint`);
        assert.notEqual((await podOf("lives", 0))?.spec?.nodeName, node.name);
        assert.equal(isReady(await namespace.kube.core.readNode({ name: node.name })), true);
        const results = await Promise.all([running, held].map((job) => resultOf(cluster, job)));
        assert.deepEqual(results, ["CANCELED", ""]);
        await cluster.flux("job", "urgency", held, "16");
        await until("the job has run", async () => (await resultOf(cluster, held)) === "COMPLETED" || undefined);
        await lost.pop()?.takeBack();
        await untilThreeHosts(cluster);
        await cluster.stack.destroy();
    });

    /** Waits until the archive has a job. Other jobs change the queue meanwhile, so that it is dumped again. */
    async function untilArchived(cluster: GuardedCluster, name: string, job: string): Promise<void> {
        const submitted = Number(await cluster.flux("jobs", "--no-header", "--format={t_submit}", job));
        const saved = ["sh", "-c", "flux run true; stat -c %Y $MINICLUSTER_ARCHIVE/content.tgz || true"];
        const look = async () => Number(await namespace.exec(name, saved)) > submitted + 1 || undefined;
        await until("the archive has the job", look);
    }

    function resultOf(cluster: GuardedCluster, job: string): Promise<string> {
        return cluster.flux("jobs", "--no-header", "--format={result}", job);
    }

    function stateOf(cluster: GuardedCluster): Promise<string> {
        return cluster.flux("jobs", "--no-header", "--format={state}");
    }

    async function untilThreeHosts(cluster: GuardedCluster): Promise<void> {
        const hosts = (await cluster.flux("run", "-N3", "hostname")).split("\n");
        assert.equal(new Set(hosts).size, 3);
    }

    /** Waits for the lead's words. A former lead isn't asked: the answer of a lost node may take minutes. */
    async function untilAttempt(name: string, number: number, former?: V1Pod): Promise<void> {
        const look = async () => {
            const { name: pod, uid } = (await podOf(name, 0))?.metadata ?? {};
            if (pod === undefined || uid === former?.metadata?.uid) {
                return undefined;
            }
            const request = { name: pod, namespace: namespace.name, container: "flux" };
            const log = await namespace.kube.core.readNamespacedPodLog(request).catch(() => "");
            return log.includes(`attempt ${number}`) || undefined;
        };
        await until(`attempt ${number} begins`, look, 300);
    }
});
