import assert from "node:assert/strict";

import type { V1Job } from "@kubernetes/client-node";

import type { PlainArgs } from "../../../../components/args";
import { ANNOTATIONS } from "../../../../provider/contract/labels";
import { diffJob } from "../../../../provider/indexedJob/diff";
import { liveManifest } from "../../../../provider/indexedJob/drift";
import { endingEffect } from "../../../../provider/guard/guard";
import { jobPatch } from "../../../../provider/indexedJob/patch";
import { makeInputs, makeLive, makeOutputs } from "../../support/jobs";

const PRIORITY = "kueue.x-k8s.io/priority-class";
const ELASTIC = "kueue.x-k8s.io/elastic-job";
const LEAST = "kueue.x-k8s.io/job-min-parallelism";
const GATE = { name: ELASTIC };
const queued = (more: Partial<PlainArgs> = {}): Partial<PlainArgs> => ({ queueName: "team", ...more });

/** A Job that Kueue has admitted, with or without its gate. */
function admitted(args: Partial<PlainArgs>, hasGate: boolean): V1Job {
    const job = makeLive(makeInputs(args));
    job.spec!.suspend = false;
    job.spec!.template.spec!.schedulingGates = hasGate ? [GATE] : undefined;
    return job;
}

describe("a Job in a queue", () => {
    const priority = (name: string) => queued({ labels: { [PRIORITY]: name } });

    for (const [what, before, after] of [
        ["gets a priority class", queued(), priority("high")],
        ["loses its priority class", priority("high"), queued()],
    ] as const) {
        it(`is replaced if it ${what}, because Kueue refuses that`, () => {
            assert.deepEqual(diffJob(makeOutputs(before), makeInputs(after)).replaces, ["manifest"]);
        });
    }

    it("is replaced if the least number of pods changes, because Kueue refuses that of a Job that runs", () => {
        const partial = (least: string) => queued({ size: 4, minSize: 2, annotations: { [LEAST]: least } });
        for (const [before, after] of [
            [queued({ size: 4, minSize: 2, maxSize: 4 }), partial("2")],
            [partial("2"), partial("3")],
        ] as const) {
            assert.deepEqual(diffJob(makeOutputs(before), makeInputs(after)).replaces, ["manifest"]);
        }
    });

    it("is patched if it gets another priority class", () => {
        assert.deepEqual(diffJob(makeOutputs(priority("low")), makeInputs(priority("high"))).replaces, []);
    });

    describe("that the program doesn't name", () => {
        const inputs = makeInputs();
        const live = makeLive(inputs);
        live.metadata!.labels = { ...live.metadata!.labels, "kueue.x-k8s.io/queue-name": "default" };
        live.spec!.suspend = true;

        it("is held without drift and without a patch", () => {
            assert.deepEqual(liveManifest(inputs.manifest, live), inputs.manifest);
            assert.equal(jobPatch(inputs.manifest, inputs, live), undefined);
        });

        it("is suspended if the program says so", () => {
            const suspended = makeInputs({ suspend: true });
            const running = { ...live, spec: { ...live.spec!, suspend: false } };
            assert.equal(jobPatch(inputs.manifest, suspended, running)?.spec.suspend, true);
        });
    });

    describe("that Kueue may resize", () => {
        const args = queued({ size: 2, maxSize: 4 });
        const inputs = makeInputs(args);

        it("is no drift without the annotation, which Kueue accepts only at its creation", () => {
            const live = admitted(args, false);
            delete live.metadata?.annotations?.[ELASTIC];
            assert.deepEqual(liveManifest(inputs.manifest, live), inputs.manifest);
            assert.equal(jobPatch(inputs.manifest, inputs, live), undefined);
        });

        it("shows other annotations as drift", () => {
            const noted = makeInputs(queued({ size: 2, maxSize: 4, annotations: { note: "a" } }));
            const live = admitted(queued({ size: 2, maxSize: 4, annotations: { note: "b" } }), true);
            assert.equal(liveManifest(noted.manifest, live).metadata.annotations.note, "b");
        });

        it("wakes with the pods that it had, if it sleeps without any", () => {
            const live = admitted(args, true);
            live.spec!.parallelism = 0;
            live.metadata!.annotations![ANNOTATIONS.asleep] = "2026-01-01T00:00:00Z";
            const patch = jobPatch(inputs.manifest, { ...inputs, sizedBy: "cluster" }, live);
            assert.deepEqual(patch?.spec, { parallelism: 2 });
            assert.equal(patch?.metadata.annotations[ANNOTATIONS.asleep], null);
        });

        const now = new Date(0);

        it("keeps its pods when it grows, and loses the highest when it shrinks", () => {
            assert.equal(endingEffect({ parallelism: 3 }, admitted(args, true), now), undefined);
            assert.equal(endingEffect({ parallelism: 1 }, admitted(args, true), now)?.from, 1);
        });

        it("loses all pods by any resize without Kueue's gate", () => {
            const effect = endingEffect({ parallelism: 3 }, admitted(args, false), now);
            assert.equal(effect?.from, 0);
            assert.match(effect?.text ?? "", /Kueue ends all its pods, and the Job waits in its queue again/);
        });

        it("loses none while it waits in its queue", () => {
            const waiting = makeLive(inputs);
            assert.equal(endingEffect({ parallelism: 3 }, waiting, now), undefined);
        });
    });

    it("that started with fewer pods has the size that Kueue has decided", () => {
        const args = queued({ size: 4, minSize: 2, annotations: { [LEAST]: "2" } });
        const inputs = makeInputs(args);
        const live = admitted(args, false);
        Object.assign(live.spec!, { completions: 3, parallelism: 3 });
        assert.deepEqual(liveManifest(inputs.manifest, live), inputs.manifest);
        assert.equal(jobPatch(inputs.manifest, inputs, live), undefined);
    });
});
