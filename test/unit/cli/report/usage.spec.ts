import assert from "node:assert/strict";

import fc from "fast-check";

import { collect } from "../../../../cli/report/collect";
import type { Change, JobRun } from "../../../../cli/report/model";
import { usageOf } from "../../../../cli/report/usage";
import { stepsOf } from "../../../../cli/report/page/podSteps";
import { makeSource } from "../../support/runs";

const RESOURCES = [{ ranks: "0-1", cores: "0-3", gpus: "" }];
const online = (at: number, ranks: string): Change => ({ at, name: "online", ranks, reason: "" });
const offline = (at: number, ranks: string): Change => ({ at, name: "offline", ranks, reason: "" });

function job(submittedAt: number, allocatedAt?: number, finishedAt?: number, cores = 4): JobRun {
    const resources = [{ ranks: "0", cores: "0-3", gpus: "" }];
    return {
        id: "f1",
        name: "a",
        state: "completed",
        submittedAt,
        allocatedAt,
        finishedAt,
        resources,
        nodes: 1,
        cores,
    };
}

describe("The use of cores and the queue over time", () => {
    it("counts waiting and running jobs, busy and usable cores, and ranks", () => {
        const usage = usageOf(
            [job(1000, 2000, 4000), job(1000, 3000), job(1500, undefined, 1800)],
            [online(500, "0"), online(1000, "1"), offline(5000, "1")],
            RESOURCES,
            6000,
        );
        assert.deepEqual(usage?.steps, [
            { at: 500, waiting: 0, running: 0, busy: 0, usable: 4, ranks: 1 },
            { at: 1000, waiting: 2, running: 0, busy: 0, usable: 8, ranks: 2 },
            { at: 1500, waiting: 3, running: 0, busy: 0, usable: 8, ranks: 2 },
            { at: 1800, waiting: 2, running: 0, busy: 0, usable: 8, ranks: 2 },
            { at: 2000, waiting: 1, running: 1, busy: 4, usable: 8, ranks: 2 },
            { at: 3000, waiting: 0, running: 2, busy: 8, usable: 8, ranks: 2 },
            { at: 4000, waiting: 0, running: 1, busy: 4, usable: 8, ranks: 2 },
            { at: 5000, waiting: 0, running: 1, busy: 4, usable: 4, ranks: 1 },
        ]);
        assert.deepEqual([usage?.begin, usage?.end, usage?.longestQueue, usage?.coreSeconds], [500, 6000, 3, 20]);
        assert.deepEqual(usage?.waits, { median: 1, p95: 2, longest: 2 });
        assert.equal(usage?.utilisation, 20 / (2 + 32 + 4));
    });

    it("counts the ranks that were online when the lead's broker started again", () => {
        const restart = { at: 3000, name: "restart", ranks: "1", reason: "" };
        const usage = usageOf([], [online(500, "0-1"), restart], RESOURCES, 4000);
        assert.deepEqual(usage?.steps.at(-1), { at: 3000, waiting: 0, running: 0, busy: 0, usable: 4, ranks: 1 });
    });

    it("is nothing if nothing has happened", () => {
        assert.equal(usageOf([], [], RESOURCES, 1000), null);
    });

    it("has no share if no rank is known to have joined", () => {
        assert.equal(usageOf([job(0, 1, 2)], [], RESOURCES, 1000)?.utilisation, undefined);
    });

    it("never has more busy cores than usable ones, nor a negative amount, in any run", () => {
        const time = fc.nat({ max: 1000 });
        const jobs = fc.array(fc.tuple(time, time, time, fc.nat({ max: 8 }), fc.nat({ max: 2 })));
        const changes = fc.array(
            fc.tuple(
                time,
                fc.constantFrom("online", "offline", "restart", "drain"),
                fc.constantFrom("", "0", "1", "0-1"),
            ),
        );
        fc.assert(
            fc.property(jobs, changes, (drawn, drawnChanges) => {
                const runs = drawn.map(([submit, wait, run, cores, far]) => {
                    const alloc = far > 0 ? submit + wait : undefined;
                    return job(submit, alloc, far > 1 ? submit + wait + run : undefined, cores);
                });
                const all = drawnChanges.map(([at, name, ranks]) => ({ at, name, ranks, reason: "" }));
                const usage = usageOf(runs, all, RESOURCES, 1000);
                const steps = usage?.steps ?? [];
                assert.ok(steps.every(({ busy, usable }) => busy <= usable));
                assert.ok(
                    steps.every(({ at: _, ...amounts }) => Object.values(amounts).every((amount) => amount >= 0)),
                );
                assert.ok(steps.every(({ at }, index) => index === 0 || at > steps[index - 1].at));
                const share = usage?.utilisation ?? 0;
                assert.ok(share >= 0 && share <= 1 + 1e-9, `${share}`);
                const waits = usage?.waits;
                assert.ok(waits === undefined || (waits.median <= waits.p95 && waits.p95 <= waits.longest));
            }),
        );
    });

    it("never has more busy cores than the ranks have if Flux gives each core to one job", () => {
        const { usage } = collect(makeSource({ ranks: 8, jobs: 500 }));
        const joined = usage?.steps.filter(({ ranks }) => ranks === 8) ?? [];
        assert.ok(joined.length > 100);
        assert.ok(joined.every(({ busy, usable }) => usable === 32 && busy <= 32));
    });
});

describe("The steps of a pod's life", () => {
    it("follow each other, begin with its creation and end with its end, whichever times are known", () => {
        const time = fc.option(fc.integer({ min: 0, max: 1000 }), { nil: undefined });
        fc.assert(
            fc.property(fc.nat({ max: 500 }), time, time, time, time, (createdAt, ...times) => {
                const [scheduledAt, startedAt, joinedAt, endedAt] = times.map((each) =>
                    each === undefined ? undefined : createdAt + each,
                );
                const pod = { rank: 0, name: "a", state: "", createdAt, scheduledAt, startedAt, joinedAt, endedAt };
                const spans = stepsOf(pod, 2000);
                assert.ok(spans.every(({ from, to }) => from < to && from >= createdAt && to <= (endedAt ?? 2000)));
            }),
        );
    });

    it("are not joining if the pod has ended and its join isn't known", () => {
        const pod = { rank: 0, name: "a", state: "gone", createdAt: 0, scheduledAt: 1, startedAt: 4, endedAt: 90 };
        assert.deepEqual(
            stepsOf(pod, 200).map(({ step }) => step),
            ["unscheduled", "starting", "unknown"],
        );
    });

    it("are waiting, starting, joining and membership", () => {
        const pod = { rank: 0, name: "a", state: "ready", createdAt: 0, scheduledAt: 1, startedAt: 4, joinedAt: 9 };
        assert.deepEqual(stepsOf(pod, 20), [
            { step: "unscheduled", from: 0, to: 1 },
            { step: "starting", from: 1, to: 4 },
            { step: "joining", from: 4, to: 9 },
            { step: "member", from: 9, to: 20 },
        ]);
    });
});
