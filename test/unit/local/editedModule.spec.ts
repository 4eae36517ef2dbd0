import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { editModule } from "../../../local/editedModule";

describe("editModule", () => {
    let root: string;
    let places: { go: string; dir: string; folder: string };

    beforeEach(() => {
        root = mkdtempSync(join(tmpdir(), "edited-module-"));
        const [module, dir, folder] = ["module", "main", "draft"].map((name) => join(root, name)) as [string, string, string];
        for (const path of [join(module, "pkg"), dir, folder]) {
            mkdirSync(path, { recursive: true });
        }
        writeFileSync(join(module, "pkg", "a.go"), "package a // v4", { mode: 0o444 });
        writeFileSync(join(dir, "go.mod"), "module main\n");
        writeFileSync(join(dir, "go.sum"), "sums\n");
        const go = join(root, "go");
        writeFileSync(go, `#!/bin/sh\necho '${JSON.stringify({ Dir: module })}'\n`, { mode: 0o755 });
        places = { go, dir, folder };
    });

    afterEach(() => rmSync(root, { recursive: true }));

    it("gives a go.mod that requires an edited copy", async () => {
        const edits = [{ file: "pkg/a.go", before: "v4", after: "v6" }];
        const modfile = await editModule({ module: "example.com/a", edits }, places);
        const copy = join(places.folder, "source");
        assert.equal(readFileSync(modfile, "utf8"), `module main\n\nreplace example.com/a => "${copy}"\n`);
        assert.equal(readFileSync(join(places.folder, "go.sum"), "utf8"), "sums\n");
        assert.equal(readFileSync(join(copy, "pkg", "a.go"), "utf8"), "package a // v6");
        assert.equal(readFileSync(join(root, "module", "pkg", "a.go"), "utf8"), "package a // v4");
    });

    it("leaves out the lines that begin as an edit says", async () => {
        writeFileSync(join(root, "module", "pkg", "b.go"), "package b\n\tone()\n\ttwo()\n\tonce()\n");
        await editModule({ module: "example.com/a", edits: [{ file: "pkg/b.go", without: ["\ton"] }] }, places);
        assert.equal(readFileSync(join(places.folder, "source", "pkg", "b.go"), "utf8"), "package b\n\ttwo()\n");
    });

    it("refuses to leave out lines that aren't there", async () => {
        const edits = [{ file: "pkg/a.go", without: ["\tone"] }];
        await assert.rejects(editModule({ module: "example.com/a", edits }, places), {
            message: 'example.com/a/pkg/a.go has no line that begins with "\\tone": adapt the edits in local/pieces.ts to its version.',
        });
    });

    it("refuses an edit whose place isn't in the file once", async () => {
        const edits = [{ file: "pkg/a.go", before: "v5", after: "v6" }];
        await assert.rejects(editModule({ module: "example.com/a", edits }, places), {
            message: 'example.com/a/pkg/a.go has "v5" 0 times, not once: adapt the edits in local/pieces.ts to its version.',
        });
    });
});
