import assert from "node:assert/strict";

import { deletionRefusal, interruption } from "../../../../provider/indexedJob/interruption";
import { UNKNOWN } from "../../../../provider/unknown";
import { makeInputs, makeLive } from "../../support/jobs";

const complete = { conditions: [{ type: "Complete", status: "True" }] };

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
        ["the Job is the wanted one, which an interrupted update made", [running, {}, makeInputs(), now]],
        ["an interrupted replacement has made the wanted Job", [running, changed, makeInputs(), now]],
        ["the nonce isn't known yet", [running, makeInputs(), makeInputs({}, { nonce: UNKNOWN }), now]],
    ];
    for (const [what, args] of none) {
        it(`is none where ${what}`, () => assert.equal(interruption(...args), undefined));
    }

    it("is the same for a Job that isn't in the state yet, and that another one is to replace", () => {
        assert.match(interruption(running, {}, changed, now) ?? "", /^This change replaces the Job/);
    });

    it("is none for a Job that was run again, where Pulumi no longer says why", () => {
        const again = makeLive(makeInputs({}, { rerun: "run 1 failed: X" }), running.status);
        assert.equal(interruption(again, {}, makeInputs(), now), undefined);
    });

    it("comes with new triggers and a new key as well", () => {
        assert.match(interruption(running, makeInputs(), makeInputs({}, { triggers: [1] }), now) ?? "", /^This change/);
        assert.match(interruption(running, makeInputs(), makeInputs({}, { nonce: "x" }), now) ?? "", /^This change/);
    });
});

describe("deletionRefusal", () => {
    const now = new Date("2026-01-01T03:20:00Z");
    const running = makeLive(makeInputs(), { active: 4, ready: 4, startTime: new Date("2026-01-01T00:00:00Z") });

    it("says how long the command has been running, where Pulumi may have been told to replace the Job", () => {
        assert.equal(
            deletionRefusal(running, {}, makeInputs(), now),
            "Job hpc/lammps is not replaced, because its command has been running for 3 h 20 min in 4 pods. " +
                'Wait for its end, or set interrupt to "allow" to end it.',
        );
    });

    const none: [string, Parameters<typeof deletionRefusal>][] = [
        ["there is no Job", [undefined, {}, makeInputs(), now]],
        ["it has not started", [makeLive(makeInputs()), {}, makeInputs(), now]],
        ["it may be interrupted", [running, {}, makeInputs({}, { interrupt: "allow" }), now]],
        ["Pulumi compares it with what there was", [running, makeInputs(), makeInputs(), now]],
    ];
    for (const [what, args] of none) {
        it(`is none where ${what}`, () => assert.equal(deletionRefusal(...args), undefined));
    }
});
