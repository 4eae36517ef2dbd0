import assert from "node:assert/strict";

import { resultsOf, withResults } from "../../../scripts/generate/support";
import { merge, readTried, type Tried } from "../../../scripts/tests/tried";
import { triedWith } from "../../faults/support/versionsPage";
import { SETS } from "../../faults/support/versions";

const result = (version: string, date: string, more: Partial<Tried> = {}): Tried => ({
    thing: "Node",
    version,
    by: "make test",
    date,
    ...more,
});

describe("the versions that were tried", () => {
    it("have one result of the same tests, the last one, in the order of the page", () => {
        const kubernetes = result("1.36.4", "2026-11-01", { thing: "Kubernetes" });
        assert.deepEqual(
            merge(
                [result("26.1.0", "2026-11-01"), result("9.1.0", "2026-11-01"), kubernetes],
                [result("26.1.0", "2026-11-26"), result("26.1.0", "2026-11-26", { by: "another" })],
            ),
            [
                kubernetes,
                result("9.1.0", "2026-11-01"),
                result("26.1.0", "2026-11-26", { by: "another" }),
                result("26.1.0", "2026-11-26"),
            ],
        );
    });

    it("stand on the page with the day, and what was simulated with what took its place", () => {
        const page = resultsOf([
            result("24.1.0", "2026-11-26"),
            result("4.34.2", "2026-11-25", { thing: "@pulumi/kubernetes", simulated: "a build" }),
        ]);
        assert.match(page, /\n### Node\n[^#]*\n\| 24\.1\.0 \| tried \| 2026-11-26 \| make test \|\n/);
        assert.match(page, /\n\| 4\.34\.2 \| simulated: a build \| 2026-11-25 \| make test \|\n/);
        assert.match(page, /\n### Languages\n[^#]*\n\| \.NET \| not tried \| {2}\| {2}\|\n/);
    });

    it("replace the earlier ones on the page", () => {
        const page = withResults("Before.\n<!-- tried -->\nold\n<!-- end -->\nAfter.\n", [
            result("24.1.0", "2026-11-26"),
        ]);
        assert.match(
            page,
            /^Before\.\n<!-- tried -->\n\n### Kubernetes\n[^]*\n\| 24\.1\.0 \| tried [^]*<!-- end -->\nAfter\.\n$/,
        );
        assert.doesNotMatch(page, /old/);
    });

    it("take the place of a minor version that was not tried before", () => {
        assert.match(resultsOf([]), /\n\| 1\.37 \| not tried \| {2}\| {2}\|\n/);
        const page = resultsOf([result("1.37.2", "2026-11-26", { thing: "Kubernetes" })]);
        assert.match(page, /\n\| 1\.37\.2 \| tried \|/);
        assert.doesNotMatch(page, /\n\| 1\.37 \|/);
    });

    it("have a result for each version of the matrix, and no result from the future", () => {
        const tried = readTried();
        const known = new Set(tried.map(({ thing, version }) => `${thing} ${version}`));
        for (const [set, versions] of Object.entries(SETS)) {
            for (const { thing, version } of triedWith(versions)) {
                assert(known.has(`${thing} ${version}`), `${set}: ${thing} ${version}: make test-faults PART=versions`);
            }
        }
        const today = new Date().toISOString().slice(0, 10);
        assert.deepEqual(
            tried.filter(({ date }) => !/^\d{4}-\d{2}-\d{2}$/.test(date) || date > today),
            [],
        );
    });
});
