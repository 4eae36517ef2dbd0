import assert from "node:assert/strict";

import { MiniCluster, type MiniClusterArgs } from "flux-minicluster";

import { RACK, ZONE } from "../../../scripts/local/cluster/nodes/shape";
import { ChangingCluster } from "../../e2e/support/changing";
import { useNamespace } from "../../e2e/support/namespace";
import { bindFit } from "../../e2e/support/rights";
import { SecondCluster } from "../../e2e/support/secondCluster";
import { startKubernetes } from "../../e2e/support/secondKubernetes";

/** Each rank in another zone. */
const ZONES_APART = {
    podAntiAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [
            { labelSelector: { matchLabels: { "app.kubernetes.io/instance": "zones" } }, topologyKey: ZONE },
        ],
    },
};

const PLACED: Readonly<Record<string, Omit<MiniClusterArgs, "image">>> = {
    pack: { size: 3, placement: "pack" },
    // Without the preference for one zone.
    spread: { size: 6, placement: "spread", podTemplate: { spec: { affinity: null } } },
    rack: { size: 2, nodeSelector: { [RACK]: "rack-1" } },
    zones: { size: 2, affinity: ZONES_APART },
};

describe("placement on three nodes", function () {
    this.timeout(600_000);
    const kubernetes = new SecondCluster();
    const namespace = useNamespace({ world: () => startKubernetes(kubernetes, { NODES: "3" }) });
    after(() => kubernetes.remove());

    before(async () => {
        const stack = namespace.stack("placed", async () => {
            for (const [name, args] of Object.entries(PLACED)) {
                new MiniCluster(name, { image: namespace.image, restful: { enabled: false }, ...args });
            }
        });
        await stack.up();
    });

    /** The number of ranks on each node. */
    async function ranksByNode(cluster: string): Promise<Record<string, number>> {
        const found: Record<string, number> = {};
        for (const { spec } of await namespace.pods(cluster)) {
            const node = spec?.nodeName ?? "none";
            found[node] = (found[node] ?? 0) + 1;
        }
        return found;
    }

    it("packs ranks on one node", async () => {
        assert.deepEqual(Object.values(await ranksByNode("pack")), [3]);
    });

    it("spreads ranks evenly", async () => {
        assert.deepEqual(await ranksByNode("spread"), { "node-0": 2, "node-1": 2, "node-2": 2 });
    });

    it("follows a selector and an affinity by the labels of racks and zones", async () => {
        assert.deepEqual(await ranksByNode("rack"), { "node-1": 2 });
        // zone-b has node-1 only.
        const { "node-1": one, ...others } = await ranksByNode("zones");
        assert.deepEqual([one, Object.values(others)], [1, [1]]);
    });

    it("is what Flux sees: each rank once, and all of them free", async () => {
        for (const [name, { size }] of Object.entries(PLACED)) {
            const hosts = await namespace.exec(name, ["flux", "run", `-N${String(size)}`, "hostname"]);
            const wanted = Array.from({ length: Number(size) }, (_, rank) => `${name}-${rank}`);
            assert.deepEqual(hosts.trim().split("\n").sort(), wanted);
        }
    });

    it("tells in a preview how many exclusive ranks find a node, and starts the last one on a smaller node", async () => {
        await bindFit(namespace);
        const cluster = new ChangingCluster(namespace, "apart", { size: 4, placement: "exclusive" });
        const { warnings } = await cluster.preview();
        assert.match(
            warnings.join("\n"),
            /^apart: 4 pods can never start: 3 nodes hold at most 3 of them, .*; size 3 could start\.$/m,
        );
        await kubernetes.nodes("add", JSON.stringify({ cpus: 1 }));
        assert.deepEqual((await cluster.preview()).warnings, []);
        await cluster.stack.up();
        assert.deepEqual(Object.values(await ranksByNode("apart")), [1, 1, 1, 1]);
        // The smaller rank has fewer cores than the lead says.
        assert.equal(await cluster.flux("resource", "drain", "-no", "{ranks} {reason}"), "");
        const hosts = await cluster.flux("run", "-N4", "-n4", "--exclusive", "hostname");
        assert.equal(new Set(hosts.split("\n")).size, 4);
    });

    it("keeps ranks in one zone, each on its own node, if the zone has room", async () => {
        // Now each zone has two nodes.
        const near = new ChangingCluster(namespace, "near", { size: 2 });
        await near.stack.up();
        const nodes = Object.keys(await ranksByNode("near")).map((node) => Number(node.replace("node-", "")));
        assert.equal(nodes.length, 2);
        assert.equal(nodes[0] % 2, nodes[1] % 2, `nodes ${nodes.join(" and ")} are in two zones`);
    });
});
