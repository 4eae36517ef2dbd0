import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { hashOfFiles, hasPassed, keepVerdict } from "../../../../scripts/tests/verdicts";

describe("verdicts of checks", () => {
    let clone: string;

    beforeEach(() => {
        clone = mkdtempSync(join(tmpdir(), "clone-"));
        execFileSync("git", ["init", "--quiet", clone]);
        write(".gitignore", "dist\n");
        write("a.ts", "1");
        execFileSync("git", ["-C", clone, "add", "--all"]);
    });

    afterEach(() => rmSync(clone, { recursive: true }));

    const write = (name: string, text: string) => writeFileSync(join(clone, name), text);

    it("hold for the same files, whatever git ignores", async () => {
        const kept = join(clone, ".git");
        keepVerdict("lint", await hashOfFiles(clone), true, kept);
        write("dist", "built");
        assert.ok(hasPassed("lint", await hashOfFiles(clone), kept));
        assert.ok(!hasPassed("typecheck", await hashOfFiles(clone), kept));
    });

    for (const [what, change] of [
        ["changed", () => write("a.ts", "2")],
        ["new", () => write("b.ts", "1")],
        ["removed", () => rmSync(join(clone, "a.ts"))],
    ] as const) {
        it(`don't hold with a ${what} file`, async () => {
            const before = await hashOfFiles(clone);
            change();
            assert.notEqual(await hashOfFiles(clone), before);
        });
    }

    it("are forgotten when the check fails, and never kept outside of a clone", async () => {
        const folder = mkdtempSync(join(tmpdir(), "folder-"));
        try {
            assert.equal(await hashOfFiles(folder), undefined);
            keepVerdict("lint", "files", true, folder);
            keepVerdict("lint", "files", false, folder);
            assert.ok(!hasPassed("lint", "files", folder));
            keepVerdict("lint", undefined, true, folder);
            assert.ok(!hasPassed("lint", undefined, folder));
        } finally {
            rmSync(folder, { recursive: true });
        }
    });
});
