import assert from "node:assert/strict";

import { parseLiveJobs, reaches } from "../../../../provider/flux/liveJobs";

describe("parseLiveJobs", () => {
    it("tells running jobs from those that wait, with names that contain tabs", () => {
        const text = "run\tf2x\t[0-1,3]\t61.5\ta\tname\nrun\tf3\t2\t0.1\tb\npending\tf4\t\t0.0\tc\n";
        assert.deepEqual(parseLiveJobs(text), {
            running: [
                { jobId: "f2x", name: "a\tname", ranks: "0-1,3", seconds: 61.5 },
                { jobId: "f3", name: "b", ranks: "2", seconds: 0.1 },
            ],
            pending: [{ jobId: "f4", name: "c", ranks: "", seconds: 0 }],
        });
    });

    it("ignores lines of other programs", () => {
        assert.deepEqual(parseLiveJobs("run\nwarning: x\n\n"), { running: [], pending: [] });
    });
});

describe("reaches", () => {
    for (const [ranks, rank, expected] of [
        ["0-3", 3, true],
        ["0-3", 4, false],
        ["0,7", 7, true],
        ["0,7", 8, false],
        ["", 0, false],
    ] as const) {
        it(`is ${expected} for a job on "${ranks}" and rank ${rank}`, () =>
            assert.equal(reaches({ jobId: "f1", name: "a", ranks, seconds: 1 }, rank), expected));
    }
});
