import assert from "node:assert/strict";

import { lossHint } from "../../../../provider/jobStatus/failure/lossHint";
import { summarize } from "../../../../provider/observe/pods/pod";
import { makePod, onNoNode } from "../../support/states";

const ranks = [makePod(0), makePod(1), onNoNode(makePod(2))].map(summarize);
const HINT = " Flux lost rank 1: lammps-1-abcde on node node-1. See kubectl describe node node-1.";

describe("lossHint", () => {
    for (const line of [
        "broker.err[0]: dead to Flux: lammps-1 (rank 1)",
        "33.5s: job.exception ƒEbiQvT type=exec severity=0 node failure on lammps-1 (rank 1)",
    ]) {
        it(`names the node of the rank in "${line}"`, () => {
            assert.equal(lossHint(`working\n${line}\nflux-job: task(s) Terminated\n`, ranks, []), HINT);
        });
    }

    const DEAD = "broker.err[0]: dead to Flux: lammps-1 (rank 1)";
    const lost = { ...ranks[1], name: "lammps-1-gone", node: "node-9", disrupted: "node no longer exists" };

    it("names the node of the pod that Kubernetes has removed rather than that of its successor", () => {
        const hint = " Flux lost rank 1: lammps-1-gone on node node-9. See kubectl describe node node-9.";
        assert.equal(lossHint(DEAD, ranks, [{ at: 0, pod: lost }]), hint);
    });

    it("names the node of a successor that doesn't answer", () => {
        const silent = ranks.map((pod) => ({ ...pod, silentSince: 1 }));
        assert.equal(lossHint(DEAD, silent, [{ at: 0, pod: lost }]), HINT);
    });

    it("says nothing without these words, of an unknown rank, and of a pod without a node", () => {
        assert.equal(lossHint("working\n", ranks, []), "");
        assert.equal(lossHint(undefined, ranks, []), "");
        assert.equal(lossHint("dead to Flux: lammps-7 (rank 7)", ranks, []), "");
        assert.equal(lossHint("dead to Flux: lammps-2 (rank 2)", ranks, []), "");
    });
});
