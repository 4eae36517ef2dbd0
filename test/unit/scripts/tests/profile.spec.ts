import assert from "node:assert/strict";

import { type Entry, redList, summarize, table } from "../../../../scripts/tests/profile";

describe("the profile of a test run", () => {
    const test = (file: string, title: string, seconds: number): Entry => ({ kind: "test", file, title, seconds });
    const step = (file: string | undefined, name: string, seconds: number): Entry => ({
        kind: "step",
        file,
        step: name,
        seconds,
    });
    const entries: Entry[] = [
        { kind: "phase", phase: "lint", seconds: 17.256 },
        test("a.spec.ts", "a quick", 1),
        { kind: "hook", file: "b.spec.ts", title: "b makes a cluster", seconds: 9.004 },
        test("b.spec.ts", "b looks", 0.5),
        step("b.spec.ts", "wait for pods", 4),
        step("b.spec.ts", "wait for pods", 2),
        step("a.spec.ts", "start the engine", 0.7),
        step(undefined, "start the engine", 0.3),
        { kind: "counts", passed: 2, failed: 1, skipped: 0 },
        { kind: "counts", passed: 4, failed: 0, skipped: 3 },
    ];

    it("adds up tests and hooks by file, the most expensive file first", () => {
        const { files } = summarize(entries);
        assert.deepEqual(Object.entries(files), [
            ["b.spec.ts", { seconds: 9.5, tests: 1, steps: { "wait for pods": 6 } }],
            ["a.spec.ts", { seconds: 1, tests: 1, steps: { "start the engine": 0.7 } }],
        ]);
    });

    it("adds up steps, even those without a file", () => {
        assert.deepEqual(summarize(entries).steps, {
            "wait for pods": { count: 2, seconds: 6 },
            "start the engine": { count: 2, seconds: 1 },
        });
    });

    it("adds up the counts of all mocha runs", () => {
        const { failed, passed, skipped } = summarize(entries);
        assert.deepEqual({ failed, passed, skipped }, { failed: 1, passed: 6, skipped: 3 });
    });

    it("names the ten slowest tests and hooks, in its table as well", () => {
        const many = Array.from({ length: 12 }, (_, index) => test("c.spec.ts", `number ${index}`, index));
        const profile = summarize([...entries, ...many]);
        assert.deepEqual(
            profile.slowest.map(({ seconds }) => seconds),
            [11, 10, 9, 9, 8, 7, 6, 5, 4, 3].map((seconds, index) => (index === 2 ? 9.004 : seconds)),
        );
        const text = table(profile);
        assert.match(text, /^ {4}17\.3 s {2}lint$/m);
        assert.match(text, /^ {5}6\.0 s {2}wait for pods \(2\)$/m);
        assert.match(text, /^ {5}9\.0 s {2}b makes a cluster$/m);
    });

    it("names each failure, with the first and last lines of its error", () => {
        const lines = Array.from({ length: 30 }, (_, index) => `line ${index}`);
        const what = [
            "Error: not so after 60 s.",
            ...lines,
            "    at Context.<anonymous> (b.spec.ts:1)",
            " err?: all once more",
        ].join("\n");
        const profile = summarize([
            ...entries,
            { kind: "failure", file: "b.spec.ts", title: "b looks", what },
            { kind: "failure", file: "", title: "lint", what: "a.ts:1: unused" },
        ]);
        const text = redList(profile);
        assert.match(text, /^FAILED: b looks \(b\.spec\.ts\)\n {4}Error: not so after 60 s\.\n {4}line 0$/m);
        assert.match(text, /^ {4}line 3\n {4}\.\.\.\n {4}line 18$/m);
        assert.match(text, /^ {4}line 29\n\nFAILED: lint\n {4}a\.ts:1: unused$/m);
        assert.equal(profile.failures[0]?.what, what);
        assert.equal(redList(summarize(entries)), "");
    });

    describe("with a file that was run once more", () => {
        const failure = (file: string, title: string, again?: true): Entry => ({
            kind: "failure",
            file,
            title,
            what: "Error: late",
            ...(again && { again }),
        });
        const firstRun: Entry[] = [
            failure("a.spec.ts", "a quick"),
            failure("c.spec.ts", "c fails"),
            { kind: "counts", passed: 4, failed: 2, skipped: 1 },
            { kind: "again", files: ["a.spec.ts"] },
        ];

        it("counts a test that passes then as passed, and names it as unstable", () => {
            const profile = summarize([...firstRun, { kind: "counts", passed: 3, failed: 0, skipped: 0, again: true }]);
            const { failed, passed, skipped } = profile;
            assert.deepEqual({ failed, passed, skipped }, { failed: 1, passed: 5, skipped: 1 });
            assert.equal(
                redList(profile),
                "UNSTABLE, failed beside other tests and passed alone: a quick (a.spec.ts)\n    Error: late\n\n" +
                    "FAILED: c fails (c.spec.ts)\n    Error: late\n\n",
            );
        });

        it("counts a test that fails again as failed, once", () => {
            const profile = summarize([
                ...firstRun,
                failure("a.spec.ts", "a quick", true),
                { kind: "counts", passed: 2, failed: 1, skipped: 0, again: true },
            ]);
            const { failed, passed } = profile;
            assert.deepEqual({ failed, passed }, { failed: 2, passed: 4 });
            assert.match(redList(profile), /^FAILED: c fails .*\n.*\n\nFAILED: a quick \(a\.spec\.ts\)\n/);
        });
    });

    it("has an empty table if nothing was measured", () => {
        assert.equal(table(summarize([])), "");
    });
});
