import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";

import { readMark } from "../../../../provider/contract/results";
import { filesOf, shownFile, toldIn, withoutMarks } from "../../../../provider/results/list";

const SUM = "ab".repeat(32);
const LIST = `! nothing matches *.h5\n${SUM} 12 0 out/a b\n${SUM} 0 0 \\xc3\\xbc\\x5c\\xff\n${SUM} 1 0 a\\x0ab\n`;
const line = (list = LIST, state = "waits") =>
    `minicluster: results ${state} 0 3 13 1764460800 ${SUM} ${gzipSync(list).toString("base64")}`;

describe("a list of results", () => {
    it("is read from the last line of a log that has one", () => {
        const { files, reasons, ...mark } = toldIn(`a\n${line("")}\nb\n${line()}\nminicluster: more\n`)!;
        assert.deepEqual(mark, {
            state: "waits",
            exitCode: 0,
            count: 3,
            bytes: 13,
            until: 1764460800,
            sha256: SUM,
        });
        assert.deepEqual(reasons, ["nothing matches *.h5"]);
        assert.deepEqual(
            files.map(({ bytes, path }) => [path, bytes]),
            [
                ["out/a b", 12],
                ["\\xc3\\xbc\\\\xff", 0],
                ["a\\x0ab", 1],
            ],
        );
    });

    it("has the bytes of each name, for the files on the disk", () => {
        assert.deepEqual(
            filesOf(LIST).map(({ bytesOfPath }) => bytesOfPath),
            ["out/a b", "\xc3\xbc\\\xff", "a\nb"],
        );
    });

    it("shows names of UTF-8 as texts", () => {
        assert.equal(shownFile(filesOf(`${SUM} 1 0 \\xc3\\xbc\\xf0\\x9f\\x8c\\x80`)[0]).path, "ü\u{1f300}");
    });

    it("is empty if its line was cut, or has no list", () => {
        for (const text of [line().slice(0, -20), `minicluster: results kept 0 3 13 0 ${SUM} `]) {
            assert.deepEqual([toldIn(text)?.count, toldIn(text)?.files], [3, []]);
        }
    });

    it("isn't in an output", () => {
        assert.equal(withoutMarks(`a\n${line()}\nb ${line()}\n${line(LIST, "kept")}`), `a\nb ${line()}\n`);
        assert.equal(withoutMarks("minicluster: results are fine\n"), "minicluster: results are fine\n");
    });

    it("is known by the beginning of its line", () => {
        assert.equal(readMark(line().slice(0, 130))?.count, 3);
        assert.equal(readMark("minicluster: results waits 0 3"), undefined);
        assert.equal(readMark(`x ${line()}`), undefined);
    });
});
