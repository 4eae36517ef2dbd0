import assert from "node:assert/strict";
import { mock } from "node:test";

import fc from "fast-check";

import { Budget } from "../../../../../provider/observe/live/budget";
import { LiveOutput, type Voice } from "../../../../../provider/observe/live/liveOutput";

describe("LiveOutput", () => {
    /** Milliseconds. */
    let clock: number;
    let told: string[];
    let rows: string[];
    let live: LiveOutput;

    beforeEach(() => {
        mock.timers.enable({ apis: ["setTimeout"] });
        [clock, told, rows] = [0, [], []];
    });
    afterEach(() => {
        live.end();
        mock.timers.reset();
    });

    function open(voice: Partial<Voice> = {}): void {
        const changed = () => void rows.push(live.words);
        live = new LiveOutput({ elsewhere: "see the log", changed, ...voice }, () => clock);
    }

    const stream = { tell: (line: string) => void told.push(line) };
    const take = (text: string) => live.take(Buffer.from(text));

    function pass(milliseconds: number): void {
        clock += milliseconds;
        mock.timers.tick(milliseconds);
    }

    it("shows the last line on the row, at most once per second at first", () => {
        open();
        take("a\n");
        take("b\nc\n");
        pass(400);
        take("d\n");
        assert.deepEqual(rows, ["a"]);
        pass(600);
        assert.deepEqual(rows, ["a", "d"]);
        pass(5000);
        take("e\n");
        assert.deepEqual(rows, ["a", "d", "e"]);
    });

    it("changes the row more seldom, the longer it lasts", () => {
        open();
        for (let second = 0; second < 3600; second++) {
            take(`${second}\n`);
            pass(1000);
        }
        assert.ok(rows.length > 360 && rows.length < 480, `${rows.length} changes`);
    });

    it("keeps the last line that has words", () => {
        open();
        take("words\n\n \u001b[0m\n");
        assert.deepEqual(rows, ["words"]);
    });

    it("tells each line once, and shows it on the row too", () => {
        open(stream);
        take("a\nb");
        take("c\n\nd");
        live.end();
        assert.deepEqual(told, ["a", "bc", "", "d"]);
        assert.deepEqual(rows, ["a"]);
    });

    it("tells nothing of a secret output but the progress", () => {
        open({ isHidden: true });
        take("password\nminicluster: progress 0.5 half\n");
        assert.deepEqual(rows, ["50 %, half"]);
    });

    it("shows the progress before the last line, and doesn't tell its line", () => {
        open(stream);
        take("minicluster: progress 0.4 step 400 of 1,000\nenergy -3\n");
        assert.deepEqual([rows, told], [["40 %, step 400 of 1,000; energy -3"], ["energy -3"]]);
        assert.deepEqual(live.progress, { fraction: 0.4, text: "step 400 of 1,000" });
    });

    it("estimates the rest", () => {
        open();
        for (let report = 0; report <= 4; report++) {
            live.setProgress({ fraction: report / 10, text: `step ${report}` });
            pass(120_000);
        }
        live.setProgress({ fraction: 0.5, text: "step 5" });
        assert.equal(rows.at(-1), "50 %, step 5, about 10 min left");
    });

    it("leaves out lines of a fast output, and says so once in five seconds and at the end", () => {
        open(stream);
        for (let tenth = 0; tenth < 200; tenth++) {
            take("x\n".repeat(100));
            pass(100);
        }
        live.end();
        const said = told.filter((line) => line.startsWith("("));
        const lines = told.length - said.length;
        const leftOut = said.reduce((sum, line) => sum + Number(/\d+/.exec(line)?.[0]), 0);
        assert.equal(lines + leftOut, 20_000);
        assert.ok(lines <= 500 + 20 * 50 && lines > 1000, `${lines} lines`);
        assert.ok(said.length <= 6, said.join("\n"));
        assert.match(said[0], /^\(\d+ lines are left out; see the log\)$/);
    });

    it("says that lines are left out, if no line follows", () => {
        open(stream);
        take("x\n".repeat(501));
        assert.equal(told.length, 500);
        pass(5000);
        assert.deepEqual(told.slice(500), ["(1 line is left out; see the log)"]);
    });

    it("counts each line as told or left out, for any times and chunks", () => {
        const steps = fc.array(fc.record({ lines: fc.nat(400), wait: fc.nat(3000) }), { maxLength: 30 });
        fc.assert(
            fc.property(steps, (all) => {
                told = [];
                open(stream);
                let [wanted, number] = [0, 0];
                for (const { lines, wait } of all) {
                    take(Array.from({ length: lines }, () => `line ${number++}\n`).join(""));
                    wanted += lines;
                    pass(wait);
                }
                live.end();
                let next = 0;
                for (const line of told) {
                    const leftOut = /^\((\d+) lines? (?:is|are) left out/.exec(line)?.[1];
                    assert.ok(leftOut !== undefined || line === `line ${next}`, `${line} in place of line ${next}`);
                    next += Number(leftOut ?? 1);
                }
                assert.equal(next, wanted);
            }),
            { numRuns: 50 },
        );
    });
});

describe("Budget", () => {
    it("allows a day's output of any speed less than 110,000 lines", () => {
        const budget = new Budget(0);
        let lines = 0;
        for (let at = 0; at < 86_400_000; at += 20) {
            lines += budget.allows(at) ? 1 : 0;
        }
        assert.ok(lines > 100_000 && lines < 110_000, `${lines} lines`);
    });
});
