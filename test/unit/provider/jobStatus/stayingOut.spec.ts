import assert from "node:assert/strict";

import type { V1Pod } from "@kubernetes/client-node";

import type { JobStatusInputs } from "../../../../provider/jobStatus/properties";
import { type Progress, progress } from "../../../../provider/jobStatus/readiness";
import { Observation } from "../../../../provider/observe/pods/observation";
import { summarize } from "../../../../provider/observe/pods/pod";
import { makePod, makeStatusInputs } from "../../support/states";
import { event } from "../../support/sights";

const START = new Date("2026-01-01T00:00:02Z");
const BEGUN = Date.parse("2026-01-01T00:00:00Z");
const SENTENCE = "preflight check gpu failed on rank 2: no device 3";

/** A running pod whose startup probe has succeeded. The readiness probe is joined.sh, or the user's own. */
function runningPod(rank: number, ready: boolean, script = "joined.sh"): V1Pod {
    const command = ["/bin/sh", `/etc/flux-minicluster/${script}`];
    const state = { running: { startedAt: START } };
    const flux = { name: "flux", ready, started: true, state, image: "", imageID: "", restartCount: 0 };
    const conditions = ready ? [{ type: "Ready", status: "True", lastTransitionTime: START }] : [];
    const pod = makePod(rank, { conditions, containerStatuses: [flux] });
    const container = { name: "flux", readinessProbe: { exec: { command } }, env: [{ name: "MINICLUSTER_PROGRAMS" }] };
    return { ...pod, spec: { ...pod.spec, containers: [container] } };
}

/** What a wait finds, some seconds after its begin, of three ranks of which the last ones stay out. */
function look(out: number, seconds: number, inputs: Partial<JobStatusInputs>, told = true, script?: string): Progress {
    const seen = new Observation("job-uid", BEGUN);
    seen.job = { metadata: { uid: "job-uid", creationTimestamp: new Date(BEGUN) }, spec: { template: {} }, status: {} };
    seen.jobListed = true;
    seen.podsListed = true;
    for (const rank of [0, 1, 2]) {
        // The lead is ready at the quorum.
        const isReady = rank === 0 ? out <= 1 : rank < 3 - out;
        seen.setPod(summarize(runningPod(rank, isReady, script)), BEGUN);
    }
    for (let rank = 3 - out; told && rank < 3; rank++) {
        const words = SENTENCE.replace("rank 2", `rank ${rank}`);
        seen.addWarning(event(`pod-${rank}`, "Unhealthy", `Readiness probe failed: ${words}\n`), BEGUN + 3000);
    }
    return progress(seen, makeStatusInputs(inputs), BEGUN + seconds * 1000);
}

describe("a rank that stays out", () => {
    const quorum = { quorum: 2 };

    it("isn't needed by a persistent cluster, and the progress line names it and tells why", () => {
        const { line, outcome, phase } = look(1, 5, quorum);
        assert.deepEqual(
            [phase, line, outcome],
            ["ready", `ready 2/3; lammps-2-abcde stays out: ${SENTENCE}`, "reached"],
        );
    });

    it("isn't needed by a command either", () => {
        const { line, phase } = look(1, 5, { ...quorum, ephemeral: true, waitFor: "completed" });
        assert.deepEqual([phase, line], ["running", `command runs; lammps-2-abcde stays out: ${SENTENCE}`]);
    });

    it("fails the wait at once if too few ranks are left", () => {
        for (const inputs of [quorum, { ...quorum, ephemeral: true }]) {
            const { failure, outcome } = look(2, 5, inputs);
            assert.equal(outcome, "failed");
            assert.equal(
                failure,
                "lammps-1-abcde stays out of the cluster, which needs it: preflight check gpu failed on rank 1: no device 3.",
            );
        }
    });

    it("fails the wait if the cluster needs all ranks of its size, or its command needs that many nodes", () => {
        const needed = `lammps-2-abcde stays out of the cluster, which needs it: ${SENTENCE}.`;
        assert.equal(look(1, 5, {}).failure, needed);
        const lead = { ...quorum, ephemeral: true, commandNodes: 3, waitFor: "completed" };
        assert.equal(look(1, 5, lead).failure, needed);
    });

    it("counts without an Event a minute after the start of its container, and then fails nothing", () => {
        const { outcome, phase, wakeAt } = look(1, 5, quorum, false);
        assert.deepEqual([phase, outcome, wakeAt], ["starting", undefined, START.getTime() + 60_000]);
        const later = look(1, 62, quorum, false);
        assert.deepEqual(
            [later.phase, later.line],
            ["ready", "ready 2/3; lammps-2-abcde stays out: its log has the reason"],
        );
        assert.equal(look(2, 62, quorum, false).outcome, undefined);
    });

    it("isn't one whose readiness probe is the user's own", () => {
        const { outcome, phase } = look(1, 62, quorum, true, "own.sh");
        assert.deepEqual([phase, outcome], ["starting", undefined]);
    });

    it("is known without a wait too", () => {
        assert.equal(look(1, 5, { ...quorum, waitFor: "none" }).phase, "ready");
    });
});
