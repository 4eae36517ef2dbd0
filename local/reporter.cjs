// Mocha's usual report, and at its end the counts in one plain line:
// "N passed, N failed", which CI understands. Who runs mocha more than once gives
// a file for the counts and prints the sum itself.
const { appendFileSync } = require("node:fs");
const { reporters } = require("mocha");

module.exports = class CountingReporter extends reporters.Spec {
    constructor(runner, options) {
        super(runner, options);
        // A worker that dies in parallel mode ends the run for the reporter, while others go on.
        process.once("exit", () => this.report());
    }

    report() {
        const { passes: passed, failures: failed, pending: skipped } = this.stats;
        const file = process.env.TEST_COUNTS;
        if (file) appendFileSync(file, `${JSON.stringify({ passed, failed, skipped })}\n`);
        else console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`);
    }
};
