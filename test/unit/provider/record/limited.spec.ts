import assert from "node:assert/strict";

import fc from "fast-check";

import type { RunRecord } from "../../../../provider/contract/record/runRecord";
import { limited, MOST_BYTES } from "../../../../provider/record/limited";
import { makeRecord } from "../../support/runs";

const RECORD = makeRecord();

describe("a record that is limited", () => {
    it("stays as it is if it is small", () => {
        const record = { ...RECORD, command: ["a"] };
        assert.equal(limited(record), record);
    });

    it("is never larger than 16 KiB, and says of each shortened list how much of it is left", () => {
        const words = fc.array(fc.string({ maxLength: 40, unit: "binary" }), { maxLength: 800, size: "max" });
        const ranks = fc
            .integer({ min: 0, max: 5000 })
            .map((size) =>
                Array.from({ length: size }, (_, rank) => ({ rank, pod: `lammps-${rank}-abcde`, created: 1 })),
            );
        const all = fc.record({ command: words, environment: words, runOptions: words, ranks });
        fc.assert(
            fc.property(all, (lists) => {
                const record: RunRecord = { ...RECORD, ...lists };
                const found = limited(record);
                assert.ok(Buffer.byteLength(JSON.stringify(found)) <= MOST_BYTES);
                for (const name of ["command", "environment", "runOptions", "ranks"] as const) {
                    assert.deepEqual(found[name], record[name].slice(0, found[name].length));
                    const said = found.missing.filter((line) =>
                        line.startsWith(`${name}: the first ${found[name].length} of `),
                    );
                    assert.equal(said.length, found[name].length < record[name].length ? 1 : 0);
                }
            }),
            { numRuns: 15 },
        );
    });

    it("keeps the ranks if a single word of the command is too long", () => {
        const ranks = Array.from({ length: 20 }, (_, rank) => ({ rank, pod: "p", created: 0 }));
        const {
            command,
            missing,
            ranks: kept,
        } = limited({ ...RECORD, ranks, command: ["sh", "-c", "x".repeat(40_000)] });
        assert.deepEqual([command, kept], [["sh"], ranks]);
        assert.deepEqual(missing, ["command: the first 1 of 3, so that the record stays below 16 KiB"]);
    });
});
