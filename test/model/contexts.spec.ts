import assert from "node:assert/strict";

import fc from "fast-check";

import { seedOf, switchingContexts } from "./live";
import { Coverage } from "./support/fault";

/** Fewer can't meet all commands. */
const ENOUGH = 100;
/** A twentieth of the other histories of the model, with the same variables. */
const HISTORIES = Math.ceil(Number(process.env["MODEL_HISTORIES"] ?? 20 * ENOUGH) / 20);
const SEED = seedOf(process.env["MODEL_SEED"] ?? "14");

describe("provider in histories whose context changes in the middle of commands", function () {
    this.timeout(0);

    it("keeps the context with which each command began", async () => {
        const coverage = new Coverage();
        await fc.assert(switchingContexts(coverage), { numRuns: HISTORIES, seed: SEED });
        const met = ["destroy", "preview", "refresh", "up"].map((kind) =>
            coverage.count(`the context changes in ${kind}`),
        );
        console.log(`      changed contexts in destroy, preview, refresh and up: ${met.join(", ")}`);
        assert.ok(HISTORIES < ENOUGH || met.every((count) => count > 0));
    });
});
