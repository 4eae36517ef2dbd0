import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { root } from "../../../local/paths";
import { closingLine } from "../../../local/tests";

describe("the closing line of make test", () => {
    const folder = mkdtempSync(join(tmpdir(), "flux-minicluster-"));
    after(() => rmSync(folder, { recursive: true }));

    it("adds up all runs", () => {
        const file = join(folder, "counts");
        writeFileSync(file, '{"passed":3,"failed":0,"skipped":0}\n{"passed":2,"failed":1,"skipped":0}\n');
        assert.equal(closingLine(file), "5 passed, 1 failed");
        writeFileSync(file, '{"passed":3,"failed":0,"skipped":2}\n');
        assert.equal(closingLine(file), "3 passed, 0 failed, 2 skipped");
    });

    it("says so where nothing ran", () => {
        assert.equal(closingLine(join(folder, "missing")), "0 passed, 0 failed");
    });

    it("is printed by mocha itself when it runs alone, and its failures count", () => {
        const spec = join(folder, "two.spec.cjs");
        writeFileSync(spec, 'it("passes", () => {}); it("fails", () => { throw new Error("on purpose"); });');
        const { TEST_COUNTS: _, ...env } = process.env;
        const mocha = join(root, "node_modules", "mocha", "bin", "mocha.js");
        const { status, stdout } = spawnSync(process.execPath, [mocha, "--no-config", "--reporter", join(root, "local", "reporter.cjs"), spec], { cwd: folder, env });
        assert.equal(status, 1);
        assert.match(stdout.toString(), /^1 passed, 1 failed$/m);
    });
});
