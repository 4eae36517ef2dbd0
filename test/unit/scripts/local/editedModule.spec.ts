import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { editModules } from "../../../../scripts/local/editedModule";

describe("editModules", () => {
    let root: string;
    let places: { go: string; dir: string; folder: string };

    beforeEach(() => {
        root = mkdtempSync(join(tmpdir(), "edited-module-"));
        const [module, dir, folder] = ["module", "main", "draft"].map((name) => join(root, name)) as [
            string,
            string,
            string,
        ];
        for (const path of [join(module, "pkg"), dir, folder]) {
            mkdirSync(path, { recursive: true });
        }
        writeFileSync(join(module, "pkg", "a.go"), "package a // v4", { mode: 0o444 });
        writeFileSync(join(dir, "go.mod"), "module main\n");
        writeFileSync(join(dir, "go.sum"), "sums\n");
        const go = join(root, "go");
        const script = `#!/bin/sh
if [ "$2" = edit ]; then
    shift 2
    for file; do :; done
    while [ $# -gt 1 ]; do echo "$1" >>"$file"; shift; done
    exit
fi
echo '${JSON.stringify({ Dir: module })}'
`;
        writeFileSync(go, script, { mode: 0o755 });
        places = { go, dir, folder };
    });

    afterEach(() => rmSync(root, { recursive: true }));

    it("writes a go.mod that requires an edited copy", async () => {
        const edits = [{ file: "pkg/a.go", before: "v4", after: "v6" }];
        const modfile = await editModules([{ module: "example.com/a", edits }], places);
        const copy = join(places.folder, "source-0");
        assert.equal(readFileSync(modfile, "utf8"), `module main\n-replace=example.com/a=${copy}\n`);
        assert.equal(readFileSync(join(places.folder, "go.sum"), "utf8"), "sums\n");
        assert.equal(readFileSync(join(copy, "pkg", "a.go"), "utf8"), "package a // v6");
        assert.equal(readFileSync(join(root, "module", "pkg", "a.go"), "utf8"), "package a // v4");
    });

    it("gives a file other contents", async () => {
        const edits = [{ file: "pkg/a.go", contents: "package a\n" }];
        await editModules([{ module: "example.com/a", edits }], places);
        assert.equal(readFileSync(join(places.folder, "source-0", "pkg", "a.go"), "utf8"), "package a\n");
    });

    it("removes the lines that start with a text", async () => {
        writeFileSync(join(root, "module", "pkg", "b.go"), "package b\n\tone()\n\ttwo()\n\tonce()\n");
        await editModules([{ module: "example.com/a", edits: [{ file: "pkg/b.go", without: ["\ton"] }] }], places);
        assert.equal(readFileSync(join(places.folder, "source-0", "pkg", "b.go"), "utf8"), "package b\n\ttwo()\n");
    });

    it("throws if no line starts with the text", async () => {
        const edits = [{ file: "pkg/a.go", without: ["\tone"] }];
        await assert.rejects(editModules([{ module: "example.com/a", edits }], places), {
            message:
                'example.com/a/pkg/a.go has no line that begins with "\\tone": adapt the edits in local/goSources.ts and pieces.ts to its version.',
        });
    });

    it("removes the part from one text up to the next place of another text", async () => {
        writeFileSync(join(root, "module", "pkg", "b.go"), "package b\nend\ncase a:\n\tone()\nend\nend\n");
        const edits = [{ file: "pkg/b.go", from: "case a:", upTo: "end" }];
        await editModules([{ module: "example.com/a", edits }], places);
        assert.equal(
            readFileSync(join(places.folder, "source-0", "pkg", "b.go"), "utf8"),
            "package b\nend\nend\nend\n",
        );
    });

    it("throws if a part to remove has no end", async () => {
        const edits = [{ file: "pkg/a.go", from: "package", upTo: "end" }];
        await assert.rejects(editModules([{ module: "example.com/a", edits }], places), {
            message:
                'example.com/a/pkg/a.go has no "end" after "package": adapt the edits in local/goSources.ts and pieces.ts to its version.',
        });
    });

    it("edits several modules", async () => {
        const modules = ["a", "b"].map((name) => ({
            module: `example.com/${name}`,
            edits: [{ file: "pkg/a.go", before: "v4", after: name }],
        }));
        const modfile = await editModules(modules, places);
        assert.match(
            readFileSync(modfile, "utf8"),
            /-replace=example.com\/a=.*source-0\n-replace=example.com\/b=.*source-1\n$/,
        );
        assert.equal(readFileSync(join(places.folder, "source-1", "pkg", "a.go"), "utf8"), "package a // b");
    });

    it("throws when all modules are copied if one of them can't be edited", async () => {
        const modules = ["v5", "v4"].map((before) => ({
            module: `example.com/${before}`,
            edits: [{ file: "pkg/a.go", before, after: "v6" }],
        }));
        await assert.rejects(editModules(modules, places), /^Error: example\.com\/v5\/pkg\/a\.go has "v5" 0 times/);
        assert.equal(readFileSync(join(places.folder, "source-1", "pkg", "a.go"), "utf8"), "package a // v6");
    });

    it("throws if a text to replace isn't in the file exactly once", async () => {
        const edits = [{ file: "pkg/a.go", before: "v5", after: "v6" }];
        await assert.rejects(editModules([{ module: "example.com/a", edits }], places), {
            message:
                'example.com/a/pkg/a.go has "v5" 0 times, not once: adapt the edits in local/goSources.ts and pieces.ts to its version.',
        });
    });
});
