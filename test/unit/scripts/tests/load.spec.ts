import assert from "node:assert/strict";

import { describeRuns, failuresIn, parseLoads } from "../../../../scripts/tests/load";

describe("LOAD", () => {
    it("names busy loops, one core and the lowest priority", () => {
        assert.deepEqual(parseLoads("4, core,nice"), [
            { name: "4 busy loops", loops: 4, prefix: [] },
            { name: "one core", loops: 0, prefix: ["taskset", "--cpu-list", "0"] },
            { name: "nice 19", loops: 0, prefix: ["nice", "-n", "19"] },
        ]);
        assert.throws(() => parseLoads("4,slow"), {
            message: "LOAD=4,slow: slow is none of core, nice and a number of busy loops.",
        });
    });

    it("tells for each run whether it passed, and what failed", () => {
        const output =
            "lint: passed\n\nFAILED: a cluster starts (test/e2e/x.spec.ts)\n    Error: no\n\n4 passed, 1 failed";
        const failures = failuresIn(output);
        const runs = [
            { load: "one core", run: 1, succeeded: true, minutes: 20, failures: [], log: "/a.log" },
            { load: "one core", run: 2, succeeded: false, minutes: 21.25, failures, log: "/b.log" },
        ];
        assert.equal(
            describeRuns(runs),
            `one core, run 1: passed after 20.0 min
one core, run 2: FAILED after 21.3 min
    a cluster starts (test/e2e/x.spec.ts)
    log: /b.log`,
        );
    });
});
