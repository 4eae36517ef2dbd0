import assert from "node:assert/strict";

import fc from "fast-check";

import { withoutMarks } from "../../../../provider/results/list";
import { MarkFilter } from "../../../../provider/results/markFilter";

const LINES = [
    "a",
    "",
    "minicluster: results waits 0 1 2",
    "minicluster: results kept 0 1 2",
    "minicluster: resul",
    "minicluster: progress 0.5",
];

describe("a filter of lines about results", () => {
    it("shows all other lines of a log, however it is divided", () =>
        fc.assert(
            fc.property(
                fc.array(fc.constantFrom(...LINES), { maxLength: 8 }),
                fc.boolean(),
                fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1 }),
                (lines, isOpen, sizes) => {
                    const log = lines.join("\n") + (isOpen ? "" : "\n");
                    const filter = new MarkFilter();
                    let shown = "";
                    for (let from = 0, turn = 0; from < log.length; turn++) {
                        const to = from + sizes[turn % sizes.length];
                        shown += filter.take(Buffer.from(log.slice(from, to)));
                        from = to;
                    }
                    assert.equal(shown + filter.end().toString(), withoutMarks(log));
                },
            ),
        ));
});
