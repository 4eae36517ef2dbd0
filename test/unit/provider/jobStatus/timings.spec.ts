import assert from "node:assert/strict";

import { lastBytes } from "../../../../provider/jobStatus/record";
import { summarize } from "../../../../provider/observe/pods/pod";
import { slowestRank, timings } from "../../../../provider/jobStatus/timings";
import { createdAt, makePod, observe, readState } from "../../support/states";

const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, seconds));
const job = { metadata: { creationTimestamp: at(0) } };

/** A pod with its times in seconds after the Job's creation. */
function pod(rank: number, scheduled: number, started: number, ready?: number) {
    const condition = (type: string, seconds: number) => ({ type, status: "True", lastTransitionTime: at(seconds) });
    return summarize(
        makePod(rank, {
            conditions: [
                condition("PodScheduled", scheduled),
                ...(ready === undefined ? [] : [condition("Ready", ready)]),
            ],
            containerStatuses: [
                {
                    name: "flux",
                    image: "",
                    imageID: "",
                    ready: true,
                    restartCount: 0,
                    state: { running: { startedAt: at(started) } },
                },
            ],
        }),
    );
}

describe("timings", () => {
    it("are seconds from the Job's creation to the last rank's step", () => {
        assert.deepEqual(timings(job, [pod(0, 1, 3, 9), pod(1, 2, 8, 9)]), { scheduled: 2, started: 8, quorum: 9 });
    });

    it("have fractions from the lead's own clock, which is finer than Kubernetes' times", () => {
        const state = readState("commandEnded");
        const { command, ended, quorum, started } = timings(state.job, observe(state).ranks());
        assert.ok(quorum > 0 && quorum <= command && command <= ended, JSON.stringify({ quorum, command, ended }));
        assert.notEqual(quorum, Math.round(quorum));
        assert.equal(started, Math.round(started));
    });

    it("have the number of attempts, and the start of the last one", () => {
        const state = readState("commandEnded");
        const created = createdAt(state) / 1000;
        const [lead, ...others] = observe(state).ranks();
        const marks = { ...lead.terminated!.marks, attempts: "3", restarted: `${created + 60}.5` };
        const again = { ...lead, terminated: { ...lead.terminated!, marks } };
        const { attempts, restarted } = timings(state.job, [again, ...others]);
        assert.deepEqual({ attempts, restarted }, { attempts: 3, restarted: 60.5 });
    });

    it("leave out steps that haven't happened yet", () => {
        assert.deepEqual(timings(job, []), {});
        assert.deepEqual(timings(undefined, []), {});
    });

    it("are never negative, even if timers differ", () => {
        assert.deepEqual(timings({ metadata: { creationTimestamp: at(10) } }, [pod(0, 1, 3)]), {
            scheduled: 0,
            started: 0,
        });
    });
});

describe("a Job that waited in its queue", () => {
    const labels = { "kueue.x-k8s.io/queue-name": "physics" };
    const queued = { metadata: { creationTimestamp: at(0), labels }, status: { startTime: at(600) } };
    const ranks = [pod(0, 601, 602, 604), pod(1, 601, 630, 640)];

    it("has the time in the queue as a timing of its own", () => {
        assert.deepEqual(timings(queued, ranks), { queued: 600, scheduled: 601, started: 630, quorum: 604 });
        assert.deepEqual(timings({ ...queued, status: {} }, []), {});
    });

    it("doesn't count the time in the queue for the slowest rank", () => {
        assert.equal(
            slowestRank(queued, ranks),
            "lammps-1-abcde: 40 s, most of it starting its container on node-1 (image pull included)",
        );
    });
});

describe("slowestRank", () => {
    const cases: [string, Parameters<typeof pod>, string][] = [
        ["a node", [1, 60, 61, 62], "lammps-1-abcde: 62 s, most of it waiting for a node"],
        [
            "an image",
            [1, 2, 94, 96],
            "lammps-1-abcde: 2 min, most of it starting its container on node-1 (image pull included)",
        ],
        ["the broker", [1, 1, 2, 30], "lammps-1-abcde: 30 s, most of it joining"],
    ];
    for (const [what, slow, expected] of cases) {
        it(`names the rank that waited for ${what}`, () => {
            assert.equal(slowestRank(job, [pod(0, 1, 2, 3), pod(...slow), pod(2, 1, 1, 2)]), expected);
        });
    }

    it("names no rank while no pod runs", () => {
        assert.equal(slowestRank(job, []), "");
        assert.equal(slowestRank(job, [summarize(makePod(0))]), "");
    });

    it("names a rank in every recorded state", () => {
        for (const name of ["joining", "ready", "commandEnded", "complete"]) {
            const state = readState(name);
            assert.match(slowestRank(state.job, observe(state).ranks()), /^\w+-\d-\w+: \d+ s, most of it /);
            assert.ok(createdAt(state) > 0);
        }
    });
});

describe("lastBytes", () => {
    const cases: [string, string, number, string][] = [
        ["a text that is short enough", "a\nb\n", 4, "a\nb\n"],
        ["only whole lines", "first\nsecond\nthird\n", 12, "third\n"],
        ["a whole line if the cut is at its start", "first\nsecond\n", 7, "second\n"],
        ["the end of a line that is too long", "x".repeat(10), 4, "xxxx"],
        ["the end of a last line that is too long", `${"x".repeat(10)}\n`, 4, "xxx\n"],
        ["only whole characters", "ääää", 3, "ä"],
        ["nothing of an empty text", "", 4, ""],
    ];
    for (const [what, text, bytes, expected] of cases) {
        it(`keeps ${what}`, () => assert.equal(lastBytes(text, bytes), expected));
    }
});
