import assert from "node:assert/strict";

import type { V1Job } from "@kubernetes/client-node";

import type { PlainArgs } from "../../../../components/args";
import { interruption, requested } from "../../../../provider/indexedJob/interruption";
import type { IndexedJobInputs } from "../../../../provider/indexedJob/properties";
import type { Kube } from "../../../../provider/kubernetes/client";
import { UNKNOWN } from "../../../../provider/host/unknown";
import { makeInputs, makeLive } from "../../support/jobs";

/** A cluster whose Jobs have no pods. */
const kube = {
    core: { listNamespacedPod: async () => ({ items: [] }) },
    patience: { tries: 1 },
} as unknown as Kube;

type Arguments = [V1Job | undefined, Partial<IndexedJobInputs>, IndexedJobInputs, Date];

const interruptionOf = async (...[job, olds, news, now]: Arguments) =>
    (await interruption(kube, job, { olds, news }, now)).refusal;
const requestRefusalOf = async (...[job, olds, news, now]: Arguments) =>
    (await requested(kube, job, { olds, news }, now)).refusal;

const complete = { conditions: [{ type: "Complete", status: "True" }] };

describe("interruption", () => {
    const now = new Date("2026-01-01T03:20:00Z");
    const status = { active: 4, ready: 4, startTime: new Date("2026-01-01T00:00:00Z") };
    const running = makeLive(makeInputs(), status);
    const changed = makeInputs({ image: "x" });
    const elastic = (size: number) => ({ size, minSize: 1, maxSize: 8 });

    it("says how long the command has been running, and in how many pods", async () => {
        assert.equal(
            await interruptionOf(running, makeInputs(), changed, now),
            "This change replaces the Job, but the Job's command has been running for 3 h 20 min in 4 pods. " +
                'Wait until the command ends, or set interrupt to "allow" to end it.',
        );
    });

    const none: [string, Arguments][] = [
        ["there is no Job", [undefined, makeInputs(), changed, now]],
        ["the Job has not started", [makeLive(makeInputs()), makeInputs(), changed, now]],
        ["the Job has ended", [makeLive(makeInputs(), { ...complete, startTime: now }), makeInputs(), changed, now]],
        ["interrupt allows it", [running, makeInputs(), makeInputs({ image: "x" }, { interrupt: "allow" }), now]],
        [
            "a patch ends no pod",
            [running, makeInputs(), makeInputs({ activeDeadlineSeconds: 86_400, annotations: { a: "1" } }), now],
        ],
        ["ranks are added", [running, makeInputs(elastic(4)), makeInputs(elastic(6)), now]],
        [
            "nothing changes after another client has added ranks",
            [makeLive(makeInputs(elastic(6)), status), makeInputs(elastic(4)), makeInputs(elastic(4)), now],
        ],
        [
            "another client decides on the size",
            [
                makeLive(makeInputs(elastic(6)), status),
                makeInputs(elastic(4)),
                makeInputs({ ...elastic(4), annotations: { a: "1" } }, { sizedBy: "autoscaler" }),
                now,
            ],
        ],
        [
            "interrupt allows a patch that suspends the Job",
            [running, makeInputs(), makeInputs({ suspend: true }, { interrupt: "allow" }), now],
        ],
        [
            "a deadline is removed",
            [
                makeLive(makeInputs({ activeDeadlineSeconds: 86_400 }), status),
                makeInputs({ activeDeadlineSeconds: 86_400 }),
                makeInputs(),
                now,
            ],
        ],
        [
            "the new limit of failures isn't below their number",
            [makeLive(makeInputs(), { ...status, failed: 2 }), makeInputs(), makeInputs({ backoffLimit: 2 }), now],
        ],
        ["the manifest isn't known yet", [running, makeInputs(), makeInputs({}, { manifest: UNKNOWN as any }), now]],
        [
            "the cluster is persistent",
            [makeLive(makeInputs({ command: [] }), { active: 4, startTime: now }), makeInputs(), changed, now],
        ],
        ["an interrupted create has made the wanted Job", [running, {}, makeInputs(), now]],
        ["an interrupted replacement has made the wanted Job", [running, changed, makeInputs(), now]],
        ["the nonce isn't known yet", [running, makeInputs(), makeInputs({}, { nonce: UNKNOWN }), now]],
    ];
    for (const [what, args] of none) {
        it(`is none if ${what}`, async () => assert.equal(await interruptionOf(...args), undefined));
    }

    const patches: [string, Partial<PlainArgs>, Partial<PlainArgs>, string][] = [
        ["suspends the Job", {}, { suspend: true }, "suspends the Job"],
        ["removes ranks", elastic(4), elastic(3), "removes 1 of the Job's 4 ranks (size 3)"],
        [
            "sets a deadline that has passed",
            {},
            { activeDeadlineSeconds: 60 },
            "sets a deadline that has passed (activeDeadlineSeconds 60)",
        ],
        [
            "allows fewer failures than there were",
            { backoffLimit: 6 },
            { backoffLimit: 1 },
            "allows fewer failures than the Job's 2 so far (backoffLimit)",
        ],
    ];
    for (const [what, before, after, effect] of patches) {
        it(`reports a patch that ${what}`, async () => {
            const job = makeLive(makeInputs(before), { ...status, failed: 2 });
            assert.equal(
                await interruptionOf(job, makeInputs(before), makeInputs(after), now),
                `This change ${effect}, but the Job's command has been running for 3 h 20 min in 4 pods. ` +
                    'Wait until the command ends, or set interrupt to "allow" to end it.',
            );
        });
    }

    it("reports the replacement of a Job that isn't in the state yet", async () => {
        assert.match((await interruptionOf(running, {}, changed, now)) ?? "", /^This change replaces the Job/);
    });

    it("is none for a Job that was run again if Pulumi no longer gives the reason", async () => {
        const again = makeLive(makeInputs({}, { rerun: "run 1 failed: X" }), running.status);
        assert.equal(await interruptionOf(again, {}, makeInputs(), now), undefined);
    });

    it("reports a replacement because of new triggers or a new nonce", async () => {
        assert.match(
            (await interruptionOf(running, makeInputs(), makeInputs({}, { triggers: [1] }), now)) ?? "",
            /^This change/,
        );
        assert.match(
            (await interruptionOf(running, makeInputs(), makeInputs({}, { nonce: "x" }), now)) ?? "",
            /^This change/,
        );
    });
});

describe("requested", () => {
    const now = new Date("2026-01-01T03:20:00Z");
    const running = makeLive(makeInputs(), { active: 4, ready: 4, startTime: new Date("2026-01-01T00:00:00Z") });

    it("says how long the command has been running if the user may want a replacement", async () => {
        assert.equal(
            await requestRefusalOf(running, {}, makeInputs(), now),
            "Job hpc/lammps is not replaced, because its command has been running for 3 h 20 min in 4 pods. " +
                'Wait until the command ends, or set interrupt to "allow" to end it.',
        );
    });

    const none: [string, Arguments][] = [
        ["there is no Job", [undefined, {}, makeInputs(), now]],
        ["the Job has not started", [makeLive(makeInputs()), {}, makeInputs(), now]],
        ["interrupt allows it", [running, {}, makeInputs({}, { interrupt: "allow" }), now]],
        ["Pulumi has the old inputs to compare", [running, makeInputs(), makeInputs(), now]],
    ];
    for (const [what, args] of none) {
        it(`is none if ${what}`, async () => assert.equal(await requestRefusalOf(...args), undefined));
    }
});
