import assert from "node:assert/strict";

import type { Kube } from "../../../../provider/kube/client";
import { growthWarning, refuseOldKubernetes, rerunReason } from "../../../../provider/indexedJob/preflight";
import { UNKNOWN } from "../../../../provider/unknown";
import { makeInputs, makeLive } from "../../support/jobs";

const failed = { conditions: [{ type: "Failed", status: "True", reason: "BackoffLimitExceeded" }] };
const complete = { conditions: [{ type: "Complete", status: "True" }] };

describe("refuseOldKubernetes", () => {
    const kube = (major: number, minor: number) =>
        ({ server: "https://k8s", version: async () => ({ major, minor }) }) as unknown as Kube;

    for (const [major, minor] of [
        [1, 31],
        [1, 36],
        [2, 0],
    ]) {
        it(`takes ${major}.${minor}`, () => refuseOldKubernetes(kube(major, minor)));
    }

    it("refuses 1.30 and says which feature is missing", async () => {
        await assert.rejects(refuseOldKubernetes(kube(1, 30)), {
            message:
                "Kubernetes at https://k8s is 1.30; 1.31 is needed, because rank 0 decides about the Job by its " +
                "successPolicy. Upgrade the cluster.",
        });
    });
});

describe("rerunReason", () => {
    it("is the failure of the last run", () => {
        const job = makeLive(makeInputs(), failed);
        assert.equal(
            rerunReason({ ...job, metadata: { ...job.metadata, uid: "5eb31c13-aaaa" } }, undefined),
            "run 5eb31c13 failed: BackoffLimitExceeded",
        );
    });

    for (const [what, job] of [
        ["there is no Job", undefined],
        ["it runs", makeLive(makeInputs(), { active: 4 })],
        ["it succeeded", makeLive(makeInputs(), complete)],
        ["the condition is not true", makeLive(makeInputs(), { conditions: [{ type: "Failed", status: "False" }] })],
    ] as const) {
        it(`stays what it was where ${what}, so that nothing is replaced again`, () => {
            assert.equal(rerunReason(job, "run 1 failed: X"), "run 1 failed: X");
            assert.equal(rerunReason(job, undefined), undefined);
        });
    }
});

describe("growthWarning", () => {
    it("says why a resize is a replacement, and how the next one needn't be", () => {
        assert.equal(
            growthWarning({ maxSize: 2 }, makeInputs({}, { maxSize: 3 })),
            "maxSize changes from 2 to 3 (it is the size unless it is given), so the Job is replaced. Set maxSize to the most " +
                "ranks that you will want: sizes up to it are reached in place.",
        );
    });

    for (const [what, before, after] of [
        ["before the first Job", undefined, 3],
        ["for no change", 3, 3],
        ["for an unknown one", 3, UNKNOWN],
    ]) {
        it(`says nothing ${what}`, () => {
            const news = makeInputs({}, { maxSize: after as number });
            assert.equal(growthWarning({ maxSize: before as number | undefined }, news), undefined);
        });
    }
});
