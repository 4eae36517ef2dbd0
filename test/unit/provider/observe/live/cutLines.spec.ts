import assert from "node:assert/strict";

import fc from "fast-check";

import { CutLines, LONGEST_LINE } from "../../../../../provider/observe/live/cutLines";

describe("CutLines", () => {
    function cut(chunks: readonly string[]): string[] {
        const lines: string[] = [];
        const cutter = new CutLines((line) => lines.push(line.toString("latin1")));
        chunks.forEach((chunk) => cutter.next(Buffer.from(chunk, "latin1")));
        cutter.end();
        return lines;
    }

    it("gives each line once, wherever the chunks end", () => {
        const text = fc.array(fc.constantFrom("a", "\n", "bc"), { maxLength: 40 }).map((parts) => parts.join(""));
        fc.assert(
            fc.property(text, fc.integer({ min: 1, max: 9 }), (all, size) => {
                const chunks = all.match(new RegExp(`[^]{1,${size}}`, "g")) ?? [];
                assert.deepEqual(
                    cut(chunks),
                    all
                        .replace(/\n$/, "")
                        .split("\n")
                        .slice(all === "" ? 1 : 0),
                );
            }),
        );
    });

    it("keeps the beginning of a line without an end", () => {
        const chunks = Array.from({ length: 1000 }, () => "x".repeat(1000));
        assert.deepEqual(
            cut([...chunks, "\nnext\n"]).map((line) => line.length),
            [LONGEST_LINE, 4],
        );
    });
});
