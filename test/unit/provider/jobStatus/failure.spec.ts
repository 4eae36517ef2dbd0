import assert from "node:assert/strict";

import { describeFailure } from "../../../../provider/jobStatus/failure";
import type { Pod } from "../../../../provider/jobStatus/pod";

const KUBERNETES = "BackoffLimitExceeded: Job has reached the specified backoff limit";

/** A rank that has ended. */
function ended(rank: number, exitCode: number, marks: Record<string, string> = {}, more: Partial<Pod> = {}, reason = "Error"): Pod {
    const terminated = { exitCode, reason, marks };
    return { rank, name: `lammps-${rank}`, uid: "", createdAt: 0, phase: "Failed", deleting: false, terminated, succeeded: exitCode === 0, ...more };
}

const quorum = { quorum: "1", started: "2" };

describe("describeFailure", () => {
    const cases: [string, Pod[], string][] = [
        ["the command's exit code", [ended(0, 3, quorum)], "The command ended with exit code 3."],
        ["a signal, in Kubernetes' words", [ended(0, 137, quorum, {}, "ContainerCannotRun")], "The command ended with exit code 137 (ContainerCannotRun)."],
        ["a broker that never had its quorum", [ended(0, 1)], "lammps-0's broker ended with exit code 1 before it had its quorum."],
        ["what the wait script found", [ended(0, 78, { error: "the image has no bash; install bash in it" })], "lammps-0 can't start: the image has no bash; install bash in it."],
        ["a lack of memory", [ended(0, 137, quorum, {}, "OOMKilled")], "lammps-0 ran out of memory. Raise resources.limits.memory."],
        ["an eviction", [ended(0, 143, quorum, { disrupted: "Eviction API: evicting" })], "lammps-0 was taken away by the cluster: Eviction API: evicting"],
        ["a follower, where the lead is well", [ended(0, 0, quorum), ended(1, 78, { error: "no flux" })], "lammps-1 can't start: no flux."],
        ["a follower's exit code", [ended(2, 9)], "lammps-2 ended with exit code 9."],
        ["the lead before a follower", [ended(0, 3, quorum), ended(1, 9)], "The command ended with exit code 3."],
        ["Kubernetes' words where nothing else is known", [], KUBERNETES],
    ];
    for (const [what, ranks, expected] of cases) {
        it(`tells of ${what}`, () => assert.equal(describeFailure(KUBERNETES, ranks, ""), expected));
    }

    it("ends with the end of the log", () => {
        const log = Array.from({ length: 30 }, (_, line) => `line ${line}`).join("\n");
        const lines = describeFailure(KUBERNETES, [ended(0, 3, quorum)], `${log}\n\n`).split("\n");
        assert.deepEqual(lines.slice(0, 3), ["The command ended with exit code 3.", "The end of rank 0's log:", "  line 10"]);
        assert.equal(lines.at(-1), "  line 29");
    });

    it("has no log where there was none", () => {
        assert.equal(describeFailure(KUBERNETES, [ended(0, 3, quorum)], "\n \n"), "The command ended with exit code 3.");
    });
});
