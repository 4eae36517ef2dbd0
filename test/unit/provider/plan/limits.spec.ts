import assert from "node:assert/strict";

import type { ClusterPlan } from "../../../../provider/plan/clusterPlan";
import type { JobPlan } from "../../../../provider/plan/jobPlan";
import { summarize, violations } from "../../../../provider/plan/limits";

const cluster = (nodeHours: number | null, kills = false) =>
    ({ name: "lammps", namespace: "hpc", nodeHours, ends: { kills } }) as ClusterPlan;
const job = (kills: boolean) => ({ name: "train", kills }) as JobPlan;

describe("The limits of a plan", () => {
    it("sums the node-hours, which one cluster without a limit makes unknown", () => {
        assert.equal(summarize([cluster(1.5), cluster(2)], [], []).nodeHours, 3.5);
        assert.equal(summarize([cluster(1.5), cluster(null)], [], []).nodeHours, null);
        assert.equal(summarize([], [], []).nodeHours, 0);
    });

    it("are exceeded by more node-hours, and by unknown ones", () => {
        const limits = { maxNodeHours: 3, noKill: false };
        assert.deepEqual(violations(summarize([cluster(3)], [], []), limits), []);
        assert.deepEqual(violations(summarize([cluster(3.456)], [], []), limits), [
            "--max-node-hours 3: the plan takes up to 3.46 node-hours",
        ]);
        assert.match(violations(summarize([cluster(null)], [], []), limits)[0], /aren't known/);
    });

    it("are exceeded by running work that may end", () => {
        const limits = { noKill: true };
        assert.deepEqual(violations(summarize([cluster(0)], [job(false)], []), limits), []);
        assert.deepEqual(violations(summarize([cluster(0, true)], [job(true)], []), limits), [
            "--no-kill: running work may end, of MiniCluster hpc/lammps, FluxJob train",
        ]);
        assert.deepEqual(violations(summarize([cluster(0, true)], [], []), { noKill: false }), []);
    });
});
