import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { root } from "../../../../scripts/local/paths";
import { factorOf, LARGEST_FACTOR } from "../../../../scripts/tests/limits";

/** Clocks that fail a slow machine, each with the line of a file that has one. */
const CLOCKS: readonly (readonly [what: string, pattern: RegExp])[] = [
    ["an assertion of a duration", /assert.*\b(now\(\)|\w*[sS]econds\b|took|elapsed).*<(?!.*\blimit\()/],
    ["an assertion of CPU", /assert.*\bcpuUsage\(.*<(?!.*\blimit\()/],
    ["a deadline of its own", /for \(.*\bdeadline = (Date|performance)\.now\(\)(?!.*\blimit\()/],
    ["a count of looks", /assert.*\btries <|if \(tries >/],
    ["a child process with a fixed limit", /^ *timeout: [\d_]{4,}[,;]/],
];

/** They run in simulated time, measure, or have the forms as examples. */
const WITHOUT = /^(bench|model)\/|^unit\/scripts\/tests\/limits\.spec\.ts$/;

describe("the limits of tests", () => {
    it("are those of mocha and of limit(), which scale with the machine", () => {
        const files = readdirSync(join(root, "test"), { recursive: true, encoding: "utf8" }).filter(
            (file) => file.endsWith(".ts") && !WITHOUT.test(file),
        );
        const found = files.flatMap((file) => clocksOf(readFileSync(join(root, "test", file), "utf8"), file));
        assert.deepEqual(found, [], "wait with until() or soon(), compare with limit(), or count calls or bytes");
    });

    it("are refused in each other form", () => {
        for (const line of [
            "        assert.ok(performance.now() - begun < 4000);",
            "        assert(seconds <= 3, `${seconds} s`);",
            "        for (const deadline = Date.now() + 30_000; !holds(); ) {",
            "        assert.ok(process.cpuUsage(started).user < 1_000_000);",
            "            assert.ok(tries < 100);",
            "        timeout: 20_000,",
        ]) {
            assert.equal(clocksOf(line, "x.spec.ts").length, 1, line);
        }
        assert.deepEqual(clocksOf("        assert(seconds < limit(3));\n        timeout: limit(20) * 1000,", "x"), []);
    });

    it("are 1 to 6 times those of a quiet machine with two cores", () => {
        assert.deepEqual([0.1, 0.25, 0.6, 60].map(factorOf), [1, 1, 2.4, LARGEST_FACTOR]);
    });

    it("scale the timeouts of hooks and tests, wherever they are set, also in parallel runs", () => {
        const folder = mkdtempSync(join(tmpdir(), "limits-"));
        try {
            const file = join(folder, "one.spec.ts");
            writeFileSync(file, PROGRAM);
            writeFileSync(join(folder, "two.spec.ts"), PROGRAM.replaceAll("of a", "of another"));
            const words = ["--parallel", "--jobs", "2", file, join(folder, "two.spec.ts")];
            const { stdout } = spawnSync(join(root, "node_modules/.bin/mocha"), words, {
                cwd: root,
                encoding: "utf8",
                env: { ...process.env, TEST_LIMIT_FACTOR: "5", TEST_PROFILE: undefined },
            });
            assert.match(stdout, /\b2 passed, 2 failed/);
            assert.equal(stdout.match(/Timeout of 100ms exceeded/g)?.length, 2);
        } finally {
            rmSync(folder, { recursive: true });
        }
    });
});

const PROGRAM = `
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
describe("timeouts of a suite", function () {
    this.timeout(2000);
    before(async function () {
        this.timeout(1000);
        await pause(1500);
    });
    it("let a slow test pass", () => pause(2500));
    it("end a test that hangs", async function () {
        this.timeout(20);
        await pause(600000);
    });
});
`;

/** The clocks in a test's text, with their lines. */
function clocksOf(text: string, file: string): string[] {
    const lines = text.split("\n");
    return CLOCKS.flatMap(([what, pattern]) =>
        lines.flatMap((line, index) =>
            pattern.test(line) ? [`${file}:${index + 1} has ${what}: ${line.trim()}`] : [],
        ),
    );
}
