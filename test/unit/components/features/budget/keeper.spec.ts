import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";

function logOf(name: string): unknown {
    const { status, stderr, stdout } = spawnSync("python3", ["-B", join(__dirname, "keeper.py"), name], {
        encoding: "utf8",
    });
    assert.equal(status, 0, stderr);
    return JSON.parse(stdout);
}

const forbidden = "the PodDisruptionBudget can't be changed: poddisruptionbudgets is forbidden (403)";
const patch = (values: string[]) => {
    const matchExpressions = [{ key: "batch.kubernetes.io/job-completion-index", operator: "In", values }];
    const value = { matchLabels: { "batch.kubernetes.io/job-name": "lammps" }, matchExpressions };
    const path = "/apis/policy/v1/namespaces/hpc/poddisruptionbudgets/lammps";
    return ["PATCH", path, [{ op: "add", path: "/spec/selector", value }]];
};

describe("the program that covers ranks by the disruption budget", () => {
    const cases: [string, string, unknown[]][] = [
        ["covers the ranks with jobs, and the lead, with which all jobs end", "covers", [[], [0, 2], [0, 2, 3]]],
        ["covers a rank for 3 s after its job, because the next one may start", "lingers", [[0, 1], []]],
        ["changes nothing between the jobs of a steady queue", "gets_next_job", [[0, 1]]],
        ["lets a drained rank go at once, and the lead after 3 s", "is_drained", [[0, 1], [0], []]],
        ["lets all ranks go at once if the queues are stopped", "is_stopped", [[0, 1], []]],
        ["keeps a lead without archive while jobs wait", "loses_queue", [[0], [0, 1], []]],
        [
            "tries less and less often if the API server refuses, and says so once",
            "is_refused",
            ["refused", ["say", forbidden], "refused", "refused", "refused", [0, 1], ["say", "works again"]],
        ],
        ["writes the selector again after a minute", "repeats", [[], []]],
        ["leaves everything as it is while the broker is away", "loses_broker", [[0, 1], 104, 104, 104]],
        ["does nothing in a pod that leaves", "leaves", [[]]],
        [
            "selects the pods by their index, and none by a value that no pod has",
            "writes",
            [patch(["2", "10"]), patch(["none"])],
        ],
    ];
    for (const [what, name, log] of cases) {
        it(what, () => assert.deepEqual(logOf(name), log));
    }
});
