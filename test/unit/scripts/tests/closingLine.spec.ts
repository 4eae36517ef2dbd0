import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { root } from "../../../../scripts/local/paths";
import { closingLine, readProfile } from "../../../../scripts/tests/profile";

describe("the closing line of make test", () => {
    const folder = mkdtempSync(join(tmpdir(), "flux-minicluster-"));
    after(() => rmSync(folder, { recursive: true }));

    it("adds up all runs", () => {
        const file = join(folder, "counts");
        const counts = (passed: number, failed: number, skipped = 0) =>
            `${JSON.stringify({ kind: "counts", passed, failed, skipped })}\n`;
        writeFileSync(file, counts(3, 0) + counts(2, 1));
        assert.equal(closingLine(readProfile(file)), "5 passed, 1 failed");
        writeFileSync(file, counts(3, 0, 2));
        assert.equal(closingLine(readProfile(file)), "3 passed, 0 failed, 2 skipped");
    });

    it("shows zeros if nothing ran", () => {
        assert.equal(closingLine(readProfile(join(folder, "missing"))), "0 passed, 0 failed");
    });

    it("is printed by mocha itself when it runs alone, and counts its failures", () => {
        const spec = join(folder, "two.spec.cjs");
        writeFileSync(spec, 'it("passes", () => {}); it("fails", () => { throw new Error("on purpose"); });');
        const { TEST_PROFILE: _, ...env } = process.env;
        const mocha = join(root, "node_modules", "mocha", "bin", "mocha.js");
        const { status, stdout } = spawnSync(
            process.execPath,
            [mocha, "--no-config", "--reporter", join(root, "scripts", "tests", "reporter.cjs"), spec],
            { cwd: folder, env },
        );
        assert.equal(status, 1);
        assert.match(stdout.toString(), /^1 passed, 1 failed$/m);
    });
});
