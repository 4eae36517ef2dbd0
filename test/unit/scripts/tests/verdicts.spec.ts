import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { root } from "../../../../scripts/local/paths";
import { FILE_CHECKS, hashOfFiles, hasPassed, keepVerdict } from "../../../../scripts/tests/verdicts";

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
        keepVerdict("typecheck", await hashOfFiles("typecheck", clone), true, kept);
        write("dist", "built");
        assert.ok(hasPassed("typecheck", await hashOfFiles("typecheck", clone), kept));
        assert.ok(!hasPassed("lint:code", await hashOfFiles("lint:code", clone), kept));
    });

    it("of shell and Python hold until a file of their own changes, its settings or a tool", async () => {
        for (const check of ["lint:shell", "lint:python"] as const) {
            const hash = () => hashOfFiles(check, clone);
            const before = await hash();
            write("a.ts", "other");
            assert.equal(await hash(), before);
            const changed = ["package-lock.json", ...(check === "lint:shell" ? ["a.sh"] : ["a.py", "a.pyi"])];
            const hashes = [before];
            for (const name of changed) {
                write(name, check);
                hashes.push(await hash());
            }
            assert.equal(new Set(hashes).size, hashes.length);
        }
    });

    it("of shell and Python know all files that these checks read", async () => {
        const list = (patterns: readonly string[]) =>
            execFileSync("git", ["-C", root, "ls-files", "--", ...patterns], { encoding: "utf8" }).split("\n");
        for (const [check, script] of [
            ["lint:shell", "shell"],
            ["lint:python", "python"],
        ] as const) {
            const text = readFileSync(join(root, `scripts/${script}.mjs`), "utf8");
            const patterns = /sources\((.*)\)/.exec(text)?.[1] ?? "";
            const read = list(JSON.parse(`[${patterns}]`));
            const known = list(FILE_CHECKS[check]);
            assert.ok(read.length > 1);
            assert.deepEqual(
                read.filter((file) => !known.includes(file)),
                [],
            );
        }
    });

    for (const [what, change] of [
        ["changed", () => write("a.ts", "2")],
        ["new", () => write("b.ts", "1")],
        ["removed", () => rmSync(join(clone, "a.ts"))],
    ] as const) {
        it(`don't hold with a ${what} file`, async () => {
            const before = await hashOfFiles("typecheck", clone);
            change();
            assert.notEqual(await hashOfFiles("typecheck", clone), before);
        });
    }

    it("are forgotten when the check fails, and never kept outside of a clone", async () => {
        const folder = mkdtempSync(join(tmpdir(), "folder-"));
        try {
            assert.equal(await hashOfFiles("typecheck", folder), undefined);
            keepVerdict("typecheck", "files", true, folder);
            keepVerdict("typecheck", "files", false, folder);
            assert.ok(!hasPassed("typecheck", "files", folder));
            keepVerdict("typecheck", undefined, true, folder);
            assert.ok(!hasPassed("typecheck", undefined, folder));
        } finally {
            rmSync(folder, { recursive: true });
        }
    });
});
