import assert from "node:assert/strict";

import { Estimate } from "../../../../../provider/observe/live/estimate";
import { describeProgramProgress, readProgramProgress } from "../../../../../provider/observe/live/progress";

describe("readProgramProgress", () => {
    const lines: [line: string, wanted: string | undefined][] = [
        ["0.4 step 400 of 1,000", "40 %, step 400 of 1,000"],
        [".4", "40 %"],
        ["0", "0 %"],
        ["1 done\n", "100 %, done"],
        ["1.0", "100 %"],
        ["0.999 almost", "99 %, almost"],
        [`${1 / 3} as Python prints it`, "33 %, as Python prints it"],
        ["1e-05 begins", "0 %, begins"],
        ["9.5e-1 nearly", "95 %, nearly"],
        [`0.5 ${"x".repeat(100)}`, `50 %, ${"x".repeat(77)}...`],
        ["", undefined],
        ["40 % done", undefined],
        ["1.5 too much", undefined],
        ["1.0000000000001", undefined],
        ["1e5", undefined],
        ["-0.1", undefined],
        ["0.4step", undefined],
        ["nan", undefined],
    ];
    for (const [line, wanted] of lines) {
        it(`reads ${JSON.stringify(line)} as ${wanted ?? "no progress"}`, () => {
            const progress = readProgramProgress(line);
            assert.equal(progress && describeProgramProgress(progress), wanted);
        });
    }
});

describe("Estimate", () => {
    /** The estimate after reports of pairs of seconds and a fraction, so many seconds later. */
    function estimate(reports: readonly [number, number][], now = reports.at(-1)?.[0] ?? 0): string | undefined {
        const all = new Estimate();
        reports.forEach(([at, fraction]) => all.add({ fraction, text: "" }, at * 1000));
        return all.describe(now * 1000);
    }

    const rows: [what: string, reports: [number, number][], now: number | undefined, wanted: string | undefined][] = [
        [
            "follows the rate since the first report",
            [
                [0, 0],
                [240, 0.2],
                [480, 0.4],
            ],
            undefined,
            "about 12 min left",
        ],
        [
            "counts from the first report, not from 0",
            [
                [0, 0.5],
                [60, 0.6],
                [120, 0.7],
            ],
            undefined,
            "about 3 min left",
        ],
        [
            "goes on while nothing is reported",
            [
                [0, 0],
                [240, 0.2],
                [480, 0.4],
            ],
            600,
            "about 10 min left",
        ],
        [
            "rounds seconds",
            [
                [0, 0],
                [20, 0.3],
                [40, 0.6],
            ],
            undefined,
            "about 30 s left",
        ],
        [
            "rounds hours",
            [
                [0, 0],
                [3600, 0.1],
                [7200, 0.2],
            ],
            undefined,
            "about 8 h 0 min left",
        ],
        [
            "begins again with a smaller fraction",
            [
                [0, 0],
                [240, 0.2],
                [480, 0.4],
                [490, 0],
            ],
            undefined,
            undefined,
        ],
        [
            "isn't made of two reports",
            [
                [0, 0],
                [240, 0.2],
            ],
            undefined,
            undefined,
        ],
        [
            "isn't made of a few seconds",
            [
                [0, 0],
                [5, 0.2],
                [10, 0.4],
            ],
            undefined,
            undefined,
        ],
        [
            "isn't made of less than 1 %",
            [
                [0, 0],
                [100, 0.001],
                [200, 0.002],
            ],
            undefined,
            undefined,
        ],
        [
            "isn't made of a program that is late",
            [
                [0, 0],
                [240, 0.2],
                [480, 0.4],
            ],
            9999,
            undefined,
        ],
        [
            "isn't made at the end",
            [
                [0, 0],
                [240, 0.2],
                [480, 1],
            ],
            undefined,
            undefined,
        ],
        ["isn't made without a report", [], undefined, undefined],
    ];
    for (const [what, reports, now, wanted] of rows) {
        it(what, () => {
            assert.equal(estimate(reports, now), wanted);
        });
    }
});
