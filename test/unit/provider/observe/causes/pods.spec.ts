import assert from "node:assert/strict";

import { causes } from "../../../support/causes";
import type { Progress } from "../../../../../provider/jobStatus/readiness";
import { lookAt, SEEN } from "../../../support/causes/look";
import { graceOf, makeTables, readTables } from "../../../support/causes/page";

/** The first words after those of the package. */
function wordsOf({ failure = "nothing" }: Progress): string {
    return failure.replace(/^(?:NAME-0|Kubernetes) (?:[^:]* pod|can't be scheduled|does not start): /, "").slice(0, 36);
}

describe("causes of pods that don't start", () => {
    for (const [head, rows] of Object.entries(causes)) {
        describe(head, () => {
            for (const cause of rows) {
                const grace = graceOf(cause);
                const argument = `timeouts.${cause.limit}`;

                it(`end the wait after ${cause.limit ?? "no time"} (${cause.cause})`, () => {
                    const { failure = "", outcome } = lookAt(cause, grace);
                    assert.equal(outcome, "failed");
                    assert.equal(failure.endsWith(`; raise ${argument} to wait longer)`), cause.limit !== undefined);
                });

                if (grace > 0) {
                    it(`leave the wait until then, and wake it (${cause.cause})`, () => {
                        const { outcome, wakeAt } = lookAt(cause, grace - 0.001);
                        assert.deepEqual([outcome, wakeAt], [undefined, SEEN + grace * 1000]);
                    });
                }

                it(`stand in the progress line at once, or when a normal start is over (${cause.cause})`, () => {
                    const first = lookAt(cause, 0);
                    const isNormal = /NAME-0 (?:Pending|ContainerCreating)$/.test(first.line);
                    const { line } = isNormal ? lookAt(cause, (first.wakeAt! - SEEN) / 1000) : first;
                    assert.ok(line.includes(wordsOf(lookAt(cause, grace))), line);
                });
            }
        });
    }

    it("are the tables of docs/troubleshooting.md", () => assert.equal(readTables(), makeTables()));

    it("are at least 25", () => assert.ok(Object.values(causes).flat().length >= 25));
});
