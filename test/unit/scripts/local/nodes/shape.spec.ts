import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir, totalmem } from "node:os";
import { join } from "node:path";

import { describeNodes } from "../../../../../scripts/local/cluster/nodes/command";
import { checkedShape, cpuSet, plainShape, reserved, shapesOf } from "../../../../../scripts/local/cluster/nodes/shape";

const total = cpus().length;

describe("the shapes of a local cluster's nodes", () => {
    const folder = mkdtempSync(join(tmpdir(), "flux-minicluster-"));
    const file = join(folder, "nodes.yaml");
    after(() => rmSync(folder, { recursive: true }));

    it("are none for one node, which shares the network of the control plane", () => {
        assert.deepEqual([undefined, "", "1"].map(shapesOf), [[], [], []]);
    });

    it("put each of several nodes in a rack of its own, and take turns with two zones", () => {
        const labels = shapesOf("3").map((shape) => Object.values(shape.labels ?? {}));
        assert.deepEqual(labels, [
            ["zone-a", "rack-0"],
            ["zone-b", "rack-1"],
            ["zone-a", "rack-2"],
        ]);
    });

    it("come from a file", () => {
        writeFileSync(file, "- cpus: 1\n- labels: {disk: fast}\n  taints: [{key: spot, effect: NoSchedule}]\n-\n");
        assert.deepEqual(shapesOf(file), [
            { ...plainShape(0), cpus: 1 },
            { labels: { disk: "fast" }, taints: [{ key: "spot", effect: "NoSchedule" }] },
            plainShape(2),
        ]);
    });

    for (const nodes of ["0", "9", "1.5", "/no/such/file"]) {
        it(`can't be ${nodes}`, () => {
            assert.throws(() => shapesOf(nodes), {
                message: `NODES=${nodes} must be a number from 1 to 8, or a file with a list of nodes.`,
            });
        });
    }

    it("can't be an object instead of a list", () => {
        writeFileSync(file, "cpus: 1\n");
        assert.throws(() => shapesOf(file), {
            message: `The file ${file} of NODES must contain a list of 1 to 8 nodes.`,
        });
    });

    const wrong: [object, string][] = [
        [{ cpu: 1 }, "A node has no field cpu; the fields are labels, taints, cpus, memory."],
        [{ cpus: 0 }, `A node's cpus: 0 must be an integer from 1 to ${total}, as the machine has.`],
        [{ memory: "4G" }, "A node's memory: 4G must be an integer with the unit Mi or Gi."],
        [
            { memory: "9999Gi" },
            `A node's memory: 9999Gi must be at most ${Math.floor(totalmem() / 2 ** 20)}Mi, as the machine has.`,
        ],
    ];
    for (const [shape, message] of wrong) {
        it(`can't be ${JSON.stringify(shape)}`, () => {
            assert.throws(() => checkedShape(shape), { message });
        });
    }

    it("reserve the rest of the machine", () => {
        assert.deepEqual(reserved({}), {});
        assert.deepEqual(reserved({ cpus: 1, memory: "1Gi" }), {
            cpu: String(total - 1),
            memory: `${Math.floor(totalmem() / 2 ** 20) - 1024}Mi`,
        });
    });

    it("give small nodes beside each other different CPUs", () => {
        assert.equal(cpuSet({}, 0), undefined);
        const sets = Array.from({ length: total }, (_, index) => cpuSet({ cpus: 1 }, index));
        assert.equal(new Set(sets).size, total);
        assert.equal(cpuSet({ cpus: 1 }, total), sets[0]);
    });

    it("are in the status of the cluster", () => {
        const taints = [{ key: "spot", value: "true", effect: "NoSchedule" as const }];
        const nodes = [
            { index: 0, shape: { labels: { disk: "fast" } } },
            { index: 2, shape: { cpus: 1, memory: "4Gi", taints }, stopped: true },
        ];
        assert.equal(
            describeNodes(nodes),
            "node-0: started, disk=fast\nnode-2: stopped, 1 CPUs, 4Gi, spot=true:NoSchedule",
        );
    });
});
