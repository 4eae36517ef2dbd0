import assert from "node:assert/strict";

import type { PlainArgs } from "../../../../components/args";
import { ANNOTATIONS } from "../../../../provider/contract/labels";
import { jobPatch } from "../../../../provider/indexedJob/patch";
import { makeInputs, makeLive } from "../../support/jobs";

function patchOf(before: Partial<PlainArgs>, after: Partial<PlainArgs>, change?: (job: any) => void): any {
    const live = makeLive(makeInputs(before));
    change?.(live);
    return withoutHash(jobPatch(makeInputs(before).manifest, makeInputs(after), live));
}

function withoutHash(patch: any): any {
    delete patch?.metadata.annotations[ANNOTATIONS.specHash];
    return patch;
}

const texts = { annotations: {}, labels: {}, uid: "job-uid" };

describe("jobPatch", () => {
    it("is undefined if the Job is as wanted", () => {
        assert.equal(patchOf({}, {}), undefined);
    });

    const elastic = (size: number) => ({ size, maxSize: 8 });
    const cases: [string, Partial<PlainArgs>, Partial<PlainArgs>, object][] = [
        [
            "changes completions and parallelism together",
            elastic(2),
            elastic(5),
            { spec: { completions: 5, parallelism: 5 } },
        ],
        ["suspends the Job", {}, { suspend: true }, { spec: { suspend: true } }],
        ["resumes the Job", { suspend: true }, {}, { spec: { suspend: false } }],
        ["adds a deadline", {}, { activeDeadlineSeconds: 60 }, { spec: { activeDeadlineSeconds: 60 } }],
        ["removes a deadline", { activeDeadlineSeconds: 60 }, {}, { spec: { activeDeadlineSeconds: null } }],
        ["changes the limit of failures", {}, { backoffLimit: 2 }, { spec: { backoffLimit: 2 } }],
        [
            "adds, changes and removes annotations",
            { annotations: { a: "1", b: "2" } },
            { annotations: { a: "3", c: "4" } },
            { metadata: { ...texts, annotations: { a: "3", b: null, c: "4" } } },
        ],
        [
            "puts the Job into a queue without touching its suspension",
            {},
            { queueName: "q" },
            {
                metadata: { ...texts, labels: { "kueue.x-k8s.io/queue-name": "q" } },
            },
        ],
    ];
    for (const [sentence, before, after, expected] of cases) {
        it(sentence, () => {
            assert.deepEqual(patchOf(before, after), { metadata: texts, spec: {}, ...expected });
        });
    }

    it("reverts changes of another client", () => {
        const mended = patchOf({}, {}, (job) => {
            job.spec.parallelism = 1;
            job.metadata.labels["app.kubernetes.io/name"] = "x";
        });
        assert.deepEqual(mended, {
            metadata: { ...texts, labels: { "app.kubernetes.io/name": "flux-minicluster" } },
            spec: { completions: 4, parallelism: 4 },
        });
    });

    it("keeps fields that other clients have added", () => {
        const patch = patchOf({}, {}, (job) => {
            job.metadata.annotations["kubectl.kubernetes.io/last-applied"] = "x";
            job.metadata.labels.team = "b";
            job.spec.ttlSecondsAfterFinished = 5;
        });
        assert.equal(patch, undefined);
    });

    it("keeps its own marks", () => {
        const patch = patchOf({ annotations: { a: "1" } }, {});
        assert.deepEqual(patch.metadata.annotations, { a: null });
    });

    it("leaves the size to the client that decides on it", () => {
        const live = makeLive(makeInputs({ size: 6, maxSize: 8 }));
        const wanted = makeInputs({ size: 1, maxSize: 8, annotations: { a: "1" } }, { sizedBy: "autoscaler" });
        const patch = jobPatch(makeInputs({ size: 1, maxSize: 8 }).manifest, wanted, live);
        assert.deepEqual(withoutHash(patch), { metadata: { ...texts, annotations: { a: "1" } }, spec: {} });
    });

    it("renews an outdated hash of the Job, and changes nothing else", () => {
        const wanted = makeInputs({ size: 2, maxSize: 4 });
        const hash = makeLive(wanted).metadata?.annotations?.[ANNOTATIONS.specHash];
        const live = makeLive(wanted);
        live.metadata!.annotations![ANNOTATIONS.specHash] = "old";
        const renewed = { ...texts, annotations: { [ANNOTATIONS.specHash]: hash } };
        assert.deepEqual(jobPatch(wanted.manifest, wanted, live), { metadata: renewed, spec: {} });
    });

    it("contains the Job's UID, so that another Job of the same name isn't patched", () => {
        assert.equal(patchOf({}, { suspend: true }).metadata.uid, "job-uid");
    });
});
