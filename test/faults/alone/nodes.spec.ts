import assert from "node:assert/strict";

import type { V1Node } from "@kubernetes/client-node";

import { RACK, ZONE } from "../../../scripts/local/cluster/nodes/shape";
import { findSite, type Site } from "../../../scripts/local/cluster/site";
import { clusterUp } from "../../../scripts/local";
import { ChangingCluster } from "../../e2e/support/changing";
import { isReady } from "../../e2e/support/kube";
import { useNamespace } from "../../e2e/support/namespace";
import { SecondCluster } from "../../e2e/support/secondCluster";
import { startKubernetes } from "../../e2e/support/secondKubernetes";
import { traces } from "../../e2e/support/traces";
import { until } from "../../e2e/support/until";
import { WebPod } from "../../e2e/support/webPod";

describe("local Kubernetes with three nodes", function () {
    this.timeout(600_000);
    const kubernetes = new SecondCluster();
    let own: Site;
    let atFirst: Awaited<ReturnType<typeof traces>>;

    before(async () => {
        await clusterUp();
        own = findSite() as Site;
        atFirst = await traces(own);
    });

    const namespace = useNamespace({ world: () => startKubernetes(kubernetes, { NODES: "3", POLICY: "on" }) });
    after(() => kubernetes.remove());

    const web = (name: string, node: string): Promise<WebPod> => WebPod.start(namespace, name, node);

    it("has nodes with their own addresses, zones and racks", async () => {
        const nodes = await allNodes();
        assert.deepEqual(
            nodes.map(({ metadata }) => [metadata?.name, metadata?.labels?.[ZONE], metadata?.labels?.[RACK]]),
            [
                ["node-0", "zone-a", "rack-0"],
                ["node-1", "zone-b", "rack-1"],
                ["node-2", "zone-a", "rack-2"],
            ],
        );
        assert.equal(new Set(nodes.map(({ spec }) => spec?.podCIDR)).size, 3);
        assert.equal(new Set(nodes.map(({ status }) => status?.addresses?.[0]?.address)).size, 3);
    });

    it("runs a MiniCluster whose three ranks are on three nodes", async () => {
        const cluster = new ChangingCluster(namespace, "apart", { size: 3, placement: "exclusive" });
        await cluster.stack.up();
        const nodes = new Set((await namespace.pods("apart")).map(({ spec }) => spec?.nodeName));
        assert.deepEqual(nodes, new Set(["node-0", "node-1", "node-2"]));
        const hosts = await namespace.exec("apart", ["flux", "run", "-N3", "hostname"]);
        assert.deepEqual(new Set(hosts.trim().split("\n")), new Set(["apart-0", "apart-1", "apart-2"]));
    });

    it("routes packets of pods to pods and Services on other nodes", async () => {
        const [first, second] = await Promise.all([web("first", "node-0"), web("second", "node-2")]);
        assert.equal(await first.get(second.address), "hello from second");
        assert.equal(await second.get(first.address), "hello from first");
        const service = await second.expose();
        await until("the Service answers", () => first.get(service).catch(() => undefined));
    });

    it("blocks a stranger on another node by a NetworkPolicy", async () => {
        const [guarded, friend, stranger] = await Promise.all([
            web("guarded", "node-0"),
            web("friend", "node-1"),
            web("stranger", "node-1"),
        ]);
        assert.equal(await stranger.get(guarded.address), "hello from guarded");
        await namespace.kube.networking.createNamespacedNetworkPolicy({
            namespace: namespace.name,
            body: {
                metadata: { name: "guarded" },
                spec: {
                    podSelector: { matchLabels: guarded.labels },
                    ingress: [{ _from: [{ podSelector: { matchLabels: friend.labels } }] }],
                },
            },
        });
        await until("the stranger is blocked", async () => (await stranger.reaches(guarded)) === false || undefined);
        assert.equal(await friend.get(guarded.address), "hello from guarded");
    });

    it("starts a rank that had no node on one that is added, and removes nodes", async () => {
        const cluster = new ChangingCluster(namespace, "grows", { size: 4, placement: "exclusive" });
        const update = cluster.stack.up();
        await until("three ranks run", async () => ((await running("grows")) === 3 ? true : undefined));
        assert.equal(await kubernetes.nodes("add", JSON.stringify({ labels: { disk: "fast" } })), "node-3");
        await update;
        assert.deepEqual(await cluster.nodes(), { free: 4 });
        const pods = await namespace.pods("grows");
        assert.equal(pods.filter(({ spec }) => spec?.nodeName === "node-3").length, 1);
        assert.equal((await node("node-3")).metadata?.labels?.["disk"], "fast");
        await cluster.stack.destroy();

        await kubernetes.nodes("remove", "node-3");
        assert.deepEqual(
            (await allNodes()).map(({ metadata }) => metadata?.name),
            ["node-0", "node-1", "node-2"],
        );
        await assert.rejects(kubernetes.nodes("remove", "node-3"), /its nodes are node-0, node-1, node-2/);
    });

    it("has a small node, whose pods see its CPUs only", async () => {
        const taint = { key: "spot", value: "true", effect: "NoSchedule" };
        await kubernetes.nodes("add", JSON.stringify({ cpus: 1, memory: "4Gi", taints: [taint] }));
        const { spec, status } = await node("node-3");
        assert.equal(status?.allocatable?.["cpu"], "1");
        assert.match(status?.allocatable?.["memory"] ?? "", /^4[01]\d{5}Ki$/);
        assert(spec?.taints?.some(({ effect, key }) => key === taint.key && effect === taint.effect));
        await web("small", "node-3");
        assert.equal((await namespace.kube.exec(namespace.name, "small", ["nproc"])).trim(), "1");
        await kubernetes.nodes("remove", "node-3");
    });

    it("cuts nodes off from each other and from the control plane", async () => {
        const [left, right] = await Promise.all([web("left", "node-1"), web("right", "node-2")]);
        await kubernetes.nodes("cut", "node-1", "node-2");
        assert.equal(await left.reaches(right), false);
        assert.equal(await ready("node-1"), true);
        await kubernetes.nodes("heal");
        assert.equal(await left.reaches(right), true);

        await kubernetes.nodes("cut", "node-1", "api");
        await until("node-1 is lost", async () => ((await ready("node-1")) ? undefined : true), 90);
        assert.equal(await right.reaches(left), true, "pods of a node that is cut off from the API server go on");
        await kubernetes.nodes("heal");
        await until("node-1 is back", async () => ((await ready("node-1")) ? true : undefined));
    });

    it("restarts the pods of a node that was stopped and started again", async () => {
        const [off, other] = await Promise.all([web("off", "node-1"), web("other", "node-2")]);
        await kubernetes.nodes("stop", "node-1");
        assert.equal(await other.reaches(off), false);
        await kubernetes.nodes("start", "node-1");
        const again = await off.untilRestarted();
        assert.equal(await other.get(again.address), "hello from off");
    });

    it("leaves nothing when it is removed while pods run", async function () {
        // Another clone's cluster may change the compared traces at any time.
        if (atFirst.sites.filter((site) => /\/\d+$/.test(site)).length > 1) {
            this.skip();
        }
        assert.notDeepEqual(await traces(own), atFirst);
        await kubernetes.cli("down");
        namespace.forget();
        assert.deepEqual(await traces(own), atFirst);
    });

    async function allNodes(): Promise<V1Node[]> {
        const { items } = await namespace.kube.core.listNode();
        return items.sort((one, other) => (one.metadata?.name ?? "").localeCompare(other.metadata?.name ?? ""));
    }

    async function ready(name: string): Promise<boolean> {
        return isReady(await node(name));
    }

    function node(name: string): Promise<V1Node> {
        return namespace.kube.core.readNode({ name });
    }

    async function running(cluster: string): Promise<number> {
        const pods = await namespace.pods(cluster);
        return pods.filter(({ status }) => status?.phase === "Running").length;
    }
});
