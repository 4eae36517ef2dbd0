import assert from "node:assert/strict";

import type { V1Job } from "@kubernetes/client-node";

import { heldBy, isHeld, wakingFields } from "../../../../provider/kubernetes/sleep";
import { summaryOf } from "../../../../provider/observe/summary";

const SINCE = { "flux-minicluster/asleep": "2026-01-01T00:00:00Z" };
const QUEUE = { "kueue.x-k8s.io/queue-name": "team" };

function jobOf(spec: Partial<V1Job["spec"]>, annotations = {}, labels = {}): V1Job {
    return { metadata: { annotations, labels }, spec: { completions: 2, parallelism: 2, template: {}, ...spec } };
}

describe("a Job without pods", () => {
    const cases: [string, V1Job, string][] = [
        ["suspended by a user", jobOf({ suspend: true }), "suspended"],
        ["held by its queue", jobOf({ suspend: true }, {}, QUEUE), "queued"],
        ["asleep", jobOf({ suspend: true }, SINCE), "asleep"],
        ["asleep in a queue, where it isn't suspended", jobOf({ parallelism: 0 }, SINCE, QUEUE), "asleep"],
        [
            "asleep in a queue that was stopped meanwhile",
            jobOf({ parallelism: 0, suspend: true }, SINCE, QUEUE),
            "asleep",
        ],
    ];
    for (const [what, job, phase] of cases) {
        it(`is ${what}`, () =>
            assert.deepEqual([isHeld(job), heldBy(job), summaryOf(job).phase], [true, phase, phase]));
    }

    it("wakes by its size in a queue, and by an end of its suspension otherwise", () => {
        assert.deepEqual(wakingFields(jobOf({ parallelism: 0 }, SINCE, QUEUE)), { parallelism: 2 });
        assert.deepEqual(wakingFields(jobOf({ suspend: true }, SINCE)), { suspend: false });
    });

    it("is none that runs", () => assert.ok(!isHeld(jobOf({}))));
});
