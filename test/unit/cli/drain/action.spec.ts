import assert from "node:assert/strict";

import { chosenRanks, stateOf } from "../../../../cli/drain/action";
import { COMMANDS } from "../../../../cli/commands";
import { parse } from "../../../../cli/parser/parser";
import type { Maintenance } from "../../../../provider/flux/maintenance";
import type { Pod } from "../../../../provider/observe/pods/pod";

const pods = [
    { rank: 0, node: "node-0" },
    { rank: 1, node: "node-1" },
    { rank: 2, node: "node-1" },
    { rank: 3 },
] as Pod[];
const target = { name: "lammps", namespace: "hpc" };

const found: Maintenance = { drained: { 1: "broken" }, busy: [1], jobs: 2, starts: true, accepts: true };

describe("minicluster drain", () => {
    it("takes ranks and nodes, each rank once and in their order", () => {
        assert.deepEqual(chosenRanks(target, pods, ["2", "node-1", "0"]), [0, 1, 2]);
    });

    it("refuses a rank or a node that the cluster doesn't have, and lists those that it has", () => {
        const has = "it has 0 (node-0), 1 (node-1), 2 (node-1), 3 (no node).";
        const refuses = (word: string, what: string) =>
            assert.throws(() => chosenRanks(target, pods, ["1", word]), {
                message: `MiniCluster hpc/lammps has ${what}; ${has}`,
            });
        refuses("7", "no rank 7");
        refuses("node-7", "no rank on the node node-7");
    });

    it("says of each rank whether it is drained, why, and whether it runs jobs", () => {
        assert.equal(stateOf(1, found), "is drained (broken), and runs jobs");
        assert.equal(stateOf(2, found), "is not drained, and is idle");
    });

    it("says of the lead what its queues do, and what would be lost with it", () => {
        const tail = "; ranks with jobs: 1, jobs that have not ended: 2";
        assert.equal(stateOf(0, found), `is the lead: its queues start jobs${tail}`);
        assert.equal(stateOf(0, { ...found, accepts: false }), `is the lead: its queues accept no jobs${tail}`);
        assert.equal(stateOf(0, { ...found, starts: false }), `is the lead: its queues start no jobs${tail}`);
    });

    it("takes the cluster before the nodes, and needs at least one node or rank", () => {
        const parsed = parse(["drain", "lammps", "node-1", "2", "--undo"], COMMANDS);
        assert.ok("args" in parsed);
        assert.deepEqual(
            [parsed.args.options, parsed.args.words],
            [{ cluster: "lammps", undo: true }, ["node-1", "2"]],
        );
        assert.throws(() => parse(["drain", "lammps"], COMMANDS), /drain needs NODE\|RANK\.\.\./);
    });
});
