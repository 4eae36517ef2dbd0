import type { V1Pod } from "@kubernetes/client-node";
import assert from "node:assert/strict";

import type { JobStatusInputs } from "../../../../provider/jobStatus/properties";
import { type Progress, progress } from "../../../../provider/jobStatus/readiness";
import { Observation } from "../../../../provider/observe/pods/observation";
import { summarize } from "../../../../provider/observe/pods/pod";
import { container, event, waiting } from "../../support/sights";
import { makePod, makeStatusInputs } from "../../support/states";

const startedAt = new Date("2026-01-01T00:00:05Z");
const running = { containerStatuses: [container({ running: { startedAt } })] };
const ready = { ...running, conditions: [{ type: "Ready", status: "True", lastTransitionTime: startedAt }] };
/** It can't start until a user changes something, which is told after 30 s. */
const stuck = waiting("CreateContainerConfigError", 'exec: "x": stat x');
const SEEN = startedAt.getTime();

/** A look at 4 ranks after so many seconds. */
function look(statuses: readonly V1Pod["status"][], inputs: Partial<JobStatusInputs>, seconds = 31): Progress {
    const seen = new Observation("job-uid", SEEN);
    seen.job = { metadata: { uid: "job-uid" }, spec: { parallelism: 4 } as any };
    Object.assign(seen, { jobListed: true, podsListed: true });
    statuses.forEach((status, rank) => seen.setPod(summarize(makePod(rank, status)), SEEN));
    seen.addWarning(event("job-uid", "FailedCreate", 'pods "lammps-3" is forbidden: no'), SEEN);
    return progress(seen, makeStatusInputs({ size: 4, ...inputs }), SEEN + seconds * 1000);
}

const command = { ephemeral: true, waitFor: "completed" };
const elastic = { sizedBy: "cluster", wake: "" } as const;

describe("a wait whose ranks can't all start", () => {
    const cases: [string, V1Pod["status"][], Partial<JobStatusInputs>, string | undefined][] = [
        ["a follower of a persistent cluster", [running, running, running, stuck], {}, "lammps-3-abcde"],
        ["a follower of a command that needs all", [running, running, running, stuck], command, "lammps-3-abcde"],
        [
            "a follower without which there is a quorum",
            [running, running, running, stuck],
            { ...command, quorum: 3 },
            undefined,
        ],
        [
            "too many followers for the quorum",
            [running, running, stuck, stuck],
            { ...command, quorum: 3 },
            "lammps-2-abcde",
        ],
        ["the lead", [stuck, running, running, running], { ...command, quorum: 2 }, "lammps-0-abcde"],
        ["a follower of a cluster that sizes itself", [running, stuck, stuck, stuck], elastic, undefined],
        ["the lead of a cluster that sizes itself", [stuck, running, running, running], elastic, "lammps-0-abcde"],
        [
            "too few for the quorum of such a cluster",
            [running, stuck, stuck, stuck],
            { ...elastic, quorum: 2 },
            "lammps-1-abcde",
        ],
        ["a follower of a running command", [ready, ready, ready, stuck], command, undefined],
        [
            "a follower without which there is a quorum, but too few ranks for the command",
            [ready, running, running, stuck],
            { ...command, quorum: 1, commandNodes: 4 },
            "lammps-3-abcde",
        ],
        [
            "a follower that isn't among the command's ranks",
            [ready, running, running, stuck],
            { ...command, quorum: 1, commandNodes: 3 },
            undefined,
        ],
        [
            "a follower that a running command waits for",
            [ready, ready, ready, stuck],
            { ...command, needsAllRanks: true },
            "lammps-3-abcde",
        ],
        ["a rank above the size", [running, running, running, stuck], { size: 3 }, undefined],
        ["a pod that isn't created", [running, running, running], {}, "Kubernetes can't create a pod"],
        [
            "a pod that isn't created, and isn't needed",
            [running, running, running],
            { ...command, quorum: 3 },
            undefined,
        ],
        ["a lead that isn't created", [], { ...command, quorum: 3 }, "Kubernetes can't create a pod"],
    ];
    for (const [what, statuses, inputs, culprit] of cases) {
        it(`${culprit === undefined ? "goes on" : "ends"} without ${what}`, () => {
            const { failure, outcome } = look(statuses, inputs);
            assert.equal(outcome, culprit === undefined ? undefined : "failed");
            assert.equal(failure?.startsWith(culprit ?? ""), culprit === undefined ? undefined : true);
        });
    }

    it("looks again at the end of timeouts.ready if a problem has outlived its limit", () => {
        const { wakeAt } = look([running, stuck, stuck, stuck], elastic);
        assert.equal(wakeAt, SEEN + 1800_000);
    });

    it("names the pod with a problem, not the first one that hasn't started", () => {
        const { line } = look([running, waiting("ContainerCreating"), stuck, waiting("ContainerCreating")], {}, 1);
        assert.equal(line, '1/4 pods running; lammps-2-abcde CreateContainerConfigError: exec: "x": stat x');
    });

    it("tells the problem too if timeouts.ready ends before the problem's own limit", () => {
        const timeouts = { ...makeStatusInputs().timeouts, ready: 20 };
        const { failure } = look([running, running, running, stuck], { timeouts }, 20);
        assert.equal(
            failure,
            "No quorum within timeouts.ready, 20 s: lammps-0-abcde, lammps-1-abcde, lammps-2-abcde, lammps-3-abcde did not join. " +
                'lammps-3-abcde: CreateContainerConfigError: exec: "x": stat x',
        );
    });
});
