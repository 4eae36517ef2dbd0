// Mocha's usual report. Its last line has the counts for CI: "N passed, N failed". A caller that runs mocha more than
// once gives a file for the profile (scripts/tests/profile.ts) and prints the sum itself.
const { appendFileSync } = require("node:fs");
const { relative } = require("node:path");
const { reporters, Runner } = require("mocha");

const { EVENT_HOOK_END, EVENT_TEST_END, EVENT_TEST_FAIL } = Runner.constants;

module.exports = class ProfilingReporter extends reporters.Spec {
    constructor(runner, options) {
        super(runner, options);
        this.profile = process.env.TEST_PROFILE;
        // The second run of a file that has failed (scripts/tests/again.ts).
        this.again = process.env.TEST_AGAIN === "on" ? { again: true } : {};
        if (this.profile) {
            runner.on(EVENT_TEST_END, (test) => this.record("test", test, test.fullTitle()));
            runner.on(EVENT_HOOK_END, (hook) => this.record("hook", hook, hook.titlePath().join(" ")));
            runner.on(EVENT_TEST_FAIL, (test, error) => this.recordFailure(test, error));
        }
        // In parallel mode, a worker that is killed ends the run for the reporter, while other workers continue.
        process.once("exit", () => this.report());
    }

    record(kind, { duration = 0, file }, title) {
        if (file) {
            this.write({ kind, file: relative(process.cwd(), file), title, seconds: duration / 1000 });
        }
    }

    recordFailure(test, error) {
        const where = test.file ? relative(process.cwd(), test.file) : "";
        this.write({
            kind: "failure",
            file: where,
            title: test.titlePath().join(" "),
            what: error.stack ?? error.message,
            ...this.again,
        });
    }

    report() {
        const { passes: passed, failures: failed, pending: skipped } = this.stats;
        if (this.profile) {
            this.write({ kind: "counts", passed, failed, skipped, ...this.again });
        } else {
            console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`);
        }
    }

    write(entry) {
        appendFileSync(this.profile, `${JSON.stringify(entry)}\n`);
    }
};
