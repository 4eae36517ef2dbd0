import assert from "node:assert/strict";

import fc from "fast-check";

import { LogLines } from "../../../../provider/kubernetes/streams/logLines";

const time = (second: number, fraction = "000000001") =>
    `2026-01-01T00:00:${String(second).padStart(2, "0")}.${fraction}Z`;

describe("LogLines", () => {
    /** What passes over a log show together, each with its bytes in chunks of this size. */
    function shown(passes: readonly string[], size: number): string {
        const lines = new LogLines();
        const text: Buffer[] = [];
        for (const pass of passes) {
            lines.again();
            const bytes = Buffer.from(pass);
            for (let at = 0; at < bytes.length; at += size) {
                text.push(lines.next(bytes.subarray(at, at + size)));
            }
        }
        return Buffer.concat(text).toString();
    }

    const [a, b, c, d] = [`${time(1)} a\n`, `${time(2)} b\n`, `${time(2)} c\n`, `${time(3)} d\n`];
    const passes: [string, string[], string][] = [
        ["removes the times", [a + b], "a\nb\n"],
        ["keeps empty lines, spaces and lines without an end", [`${time(1)} \n${time(2)}  x y`], "\n x y"],
        ["repeats no line of an earlier pass", [a + b, a + b + c, b + c + d], "a\nb\nc\nd\n"],
        ["tells lines with the same time apart by their order", [b, b + c, b + c + b, b + c + b], "b\nc\nb\n"],
        ["continues a line that broke off", [a + b.slice(0, -2), b + c], "a\nb\nc\n"],
        [
            "continues a line that broke off twice",
            [`${time(1)} abcdef`, `${time(1)} abc`, `${time(1)} abcdefgh\n`],
            "abcdefgh\n",
        ],
        ["continues the second of two lines with the same time", [b + c.slice(0, -1), b + c + d], "b\nc\nd\n"],
        ["drops a time that broke off", [a + b.slice(0, 9), a + b], "a\nb\n"],
        ["shows lines that an earlier pass would have given out of order", [b + d, a + b + c + d], "b\nd\na\nc\n"],
        ["shows lines of a rotated log", [a + b, d], "a\nb\nd\n"],
        ["shows a line without a time", ["no time\n"], "no time\n"],
        [
            "drops the rest of a known line that began before the pass",
            [`${time(1)} long rest\n${d}`, `rest\n${d}`],
            "long rest\nd\n",
        ],
        ["counts bytes, not characters", [`${time(1)} äöü`, `${time(1)} äöüß\n`], "äöüß\n"],
    ];
    for (const [what, given, wanted] of passes) {
        it(what, () => {
            for (const size of [1, 7, 1000]) {
                assert.equal(shown(given, size), wanted, `in chunks of ${size} bytes`);
            }
        });
    }

    it("counts what is before the first line of a tail as known", () => {
        const lines = new LogLines();
        lines.skipEarlier();
        lines.again();
        assert.equal(lines.next(Buffer.from(d)).toString(), "d\n");
        lines.again();
        assert.equal(lines.next(Buffer.from(`${a + b + d}${time(4)} e\n`)).toString(), "e\n");
        assert.equal(lines.takeGap(), false);
    });

    it("asks for whole seconds, and for one more than the newest line has", () => {
        const lines = new LogLines();
        assert.equal(lines.since, undefined);
        lines.next(Buffer.from(`${time(30, "999999999")} a\n${time(29)} b\n`));
        assert.equal(lines.since, "2026-01-01T00:00:29Z");
    });

    const gaps: [string, string[], boolean][] = [
        ["of one pass is whole", [a + b], false],
        ["that begins with a known line is whole", [a + b, b + c], false],
        ["that goes on with a line that broke off is whole", [a + b.slice(0, -1), b + c], false],
        ["that begins with a new line may have lost some", [a + b, d], true],
        ["that was empty and begins with a new line may have lost some", [a + b, "", d], true],
        ["that begins with a new line before a known one may have lost some", [b, a + b], true],
    ];
    for (const [what, given, wanted] of gaps) {
        it(`tells that a log ${what}`, () => {
            const lines = new LogLines();
            const told = given.map((pass) => {
                lines.again();
                lines.next(Buffer.from(pass));
                return lines.takeGap();
            });
            assert.equal(told.some(Boolean), wanted);
            assert.equal(lines.takeGap(), false);
        });
    }

    /** A log whose lines of stdout and stderr may be out of order by less than a second, as the runtime writes them. */
    const logs = fc
        .array(fc.record({ step: fc.nat(1500), back: fc.nat(900), text: fc.string({ maxLength: 9 }) }), {
            maxLength: 40,
        })
        .map((drawn) => {
            let now = Date.UTC(2026, 0, 1);
            return drawn.map(({ back, step, text }) => {
                now += step;
                const at = new Date(now - back);
                return { at: at.getTime(), time: at.toISOString(), text: `${text.replaceAll("\n", "")}\n` };
            });
        });
    const cuts = fc.array(fc.record({ lines: fc.nat(12), bytes: fc.nat(40), chunk: fc.integer({ min: 1, max: 50 }) }));

    it("loses and repeats no line, wherever connections are cut", () => {
        fc.assert(
            fc.property(logs, cuts, (log, all) => {
                const lines = new LogLines();
                let [text, written] = ["", 0];
                for (const { bytes, chunk, lines: more } of [...all, { lines: log.length, bytes: 0, chunk: 7 }]) {
                    written = Math.min(log.length, written + more);
                    const since = lines.since === undefined ? -Infinity : Date.parse(lines.since);
                    const given = log.slice(0, written).filter(({ at }) => at >= since);
                    const whole = Buffer.from(given.map((line) => `${line.time} ${line.text}`).join(""));
                    const pass = written === log.length ? whole : whole.subarray(0, Math.max(0, whole.length - bytes));
                    lines.again();
                    for (let at = 0; at < pass.length; at += chunk) {
                        text += lines.next(pass.subarray(at, at + chunk)).toString("latin1");
                    }
                    assert.equal(lines.takeGap(), false);
                }
                assert.equal(text, Buffer.from(log.map((line) => line.text).join("")).toString("latin1"));
            }),
        );
    });

    it("repeats no line of a fast output, of which it doesn't remember all", () => {
        const lines = new LogLines();
        const log = Array.from(
            { length: 50_000 },
            (_, line) => `${time(1, String(1000 * line).padStart(9, "0"))} ${line}\n`,
        );
        const text = Buffer.from(log.join(""));
        const show = (bytes: Buffer) => String(lines.next(bytes));
        lines.again();
        show(text.subarray(0, text.indexOf(" 45000\n") - 9));
        lines.again();
        const rest = show(text);
        assert.equal(rest.slice(0, 12), "45000\n45001\n");
        assert.equal(rest.split("\n").length, 5001);
    });

    it("forgets lines that no further pass gives", () => {
        const lines = new LogLines();
        for (let second = 0; second < 60; second++) {
            lines.next(Buffer.from(`${time(second)} x\n`));
        }
        lines.again();
        assert.equal(String(lines.next(Buffer.from(`${time(57)} x\n${time(59)} x\n`))), "x\n");
    });
});
