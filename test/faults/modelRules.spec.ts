import assert from "node:assert/strict";

import fc from "fast-check";

import { livedHistories, switchingContexts } from "../model/live";
import { Coverage } from "../model/support/fault";
import { Violation } from "../model/support/invariants";
import { PROVIDER_RULES } from "../model/support/providerRules";
import { withoutRule } from "../model/support/verbCalls";

/** MODEL_HISTORIES=500 runs fewer histories, MODEL_SEED=7 others. */
const HISTORIES = Number(process.env["MODEL_HISTORIES"] ?? 2000);
const SEED = Number(process.env["MODEL_SEED"] ?? 14);

describe("the model, with a provider that lacks a rule", function () {
    this.timeout(0);

    for (const [name, rule] of Object.entries(PROVIDER_RULES)) {
        it(`finds the defect without the rule that ${name}`, async () => {
            const settings = { numRuns: HISTORIES, seed: SEED, endOnFailure: true };
            const run = async () =>
                rule.isOfContexts === true
                    ? fc.check(switchingContexts(new Coverage()), settings)
                    : fc.check(livedHistories(new Coverage()), settings);
            const found = await withoutRule(rule, run);
            assert.ok(found.failed, `none of ${HISTORIES} histories finds it`);
            // Another error is one of the statement that replaces the rule.
            assert.ok(found.errorInstance instanceof Violation, String(found.errorInstance));
            console.log(`        history ${found.numRuns}: ${found.errorInstance.message}`);
        });
    }
});
