import assert from "node:assert/strict";

import type { Kube } from "../../../../provider/kube/client";
import { growthWarning, interruption, refuseOldKubernetes, rerunReason } from "../../../../provider/indexedJob/preflight";
import { UNKNOWN } from "../../../../provider/unknown";
import { makeInputs, makeLive } from "../../support/jobs";

const failed = { conditions: [{ type: "Failed", status: "True", reason: "BackoffLimitExceeded" }] };
const complete = { conditions: [{ type: "Complete", status: "True" }] };

describe("refuseOldKubernetes", () => {
    const kube = (major: number, minor: number) =>
        ({ server: "https://k8s", version: async () => ({ major, minor }) }) as unknown as Kube;

    for (const [major, minor] of [[1, 31], [1, 36], [2, 0]]) {
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
        assert.equal(rerunReason({ ...job, metadata: { ...job.metadata, uid: "5eb31c13-aaaa" } }, undefined), "run 5eb31c13 failed: BackoffLimitExceeded");
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

    for (const [what, before, after] of [["before the first Job", undefined, 3], ["for no change", 3, 3], ["for an unknown one", 3, UNKNOWN]]) {
        it(`says nothing ${what}`, () => {
            const news = makeInputs({}, { maxSize: after as number });
            assert.equal(growthWarning({ maxSize: before as number | undefined }, news), undefined);
        });
    }
});

describe("interruption", () => {
    const now = new Date("2026-01-01T03:20:00Z");
    const running = makeLive(makeInputs(), { active: 4, ready: 4, startTime: new Date("2026-01-01T00:00:00Z") });
    const changed = makeInputs({ image: "x" });

    it("says how long the command has been running and on how much", () => {
        assert.equal(
            interruption(running, makeInputs(), changed, now),
            "This change replaces the Job, and its command has been running for 3 h 20 min in 4 pods. " +
                'Wait for its end, or set interrupt to "allow" to end it.',
        );
    });

    const none: [string, Parameters<typeof interruption>][] = [
        ["there is no Job", [undefined, makeInputs(), changed, now]],
        ["it has not started", [makeLive(makeInputs()), makeInputs(), changed, now]],
        ["it has ended", [makeLive(makeInputs(), { ...complete, startTime: now }), makeInputs(), changed, now]],
        ["it may be interrupted", [running, makeInputs(), makeInputs({ image: "x" }, { interrupt: "allow" }), now]],
        ["the Job is only patched", [running, makeInputs(), makeInputs({ suspend: true }), now]],
        ["nothing is known yet", [running, makeInputs(), makeInputs({}, { manifest: UNKNOWN as any }), now]],
        ["the cluster has no command", [makeLive(makeInputs({ command: [] }), { active: 4, startTime: now }), makeInputs(), changed, now]],
        ["there was no Job before", [running, {}, changed, now]],
        ["the nonce isn't known yet", [running, makeInputs(), makeInputs({}, { nonce: UNKNOWN }), now]],
    ];
    for (const [what, args] of none) {
        it(`is none where ${what}`, () => assert.equal(interruption(...args), undefined));
    }

    it("comes with new triggers and a new key as well", () => {
        assert.match(interruption(running, makeInputs(), makeInputs({}, { triggers: [1] }), now) ?? "", /^This change/);
        assert.match(interruption(running, makeInputs(), makeInputs({}, { nonce: "x" }), now) ?? "", /^This change/);
    });
});
