import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { PositionEncoding, Workspace } from "@astral-sh/ruff-wasm-nodejs";
import { validate } from "dockerfile-utils";

import { run } from "../../../scripts/local/run";
import { blocksOf, placeOf, ROOT } from "./documents";

/* test/faults/docs.spec.ts compiles whole programs against the SDKs, and previews them. */

/** What the parts of programs use without declaring it. */
const GIVEN = "import os\nstep, steps = 400, 1000\n";

describe("Python in a document", () => {
    const workspace = new Workspace({}, PositionEncoding.Utf16);
    let folder: string;
    before(() => (folder = mkdtempSync(join(tmpdir(), "flux-minicluster-"))));
    after(() => rmSync(folder, { recursive: true }));

    for (const block of blocksOf("python")) {
        it(`has no error of syntax: ${placeOf(block)}`, () => {
            assert.ok(workspace.format(block.text).length > 0);
        });
    }

    it("tells the progress of a program", async () => {
        const parts = blocksOf("python").filter(({ text }) => !/^import pulumi$/m.test(text));
        assert.deepEqual(
            parts.map(({ document }) => document.name),
            ["docs/progress.md"],
        );
        const file = join(folder, "progress");
        const env = { ...process.env, MINICLUSTER_PROGRESS: file };
        await run("python3", ["-c", GIVEN + parts[0].text], { env });
        assert.equal(readFileSync(file, "utf8"), "0.4 step 400 of 1000\n");
    });
});

describe("Go in a document", () => {
    it("is a whole program", () => {
        const parts = blocksOf("go").filter(({ text }) => !/^package main$/m.test(text));
        assert.deepEqual(parts.map(placeOf), []);
    });
});

describe("a Containerfile in a document", () => {
    for (const block of blocksOf("dockerfile")) {
        it(`has no mistake: ${placeOf(block)}`, () => assert.deepEqual(validate(block.text), []));
    }

    it("is there", () => assert.ok(blocksOf("dockerfile").length > 0));
});

describe("settings of policies in a document", () => {
    const pack = readFileSync(join(ROOT, "examples/policy/index.ts"), "utf8");

    it("are those of the pack", () => {
        const [block, ...others] = blocksOf("json");
        assert.deepEqual(others.map(placeOf), []);
        const settings = JSON.parse(block.text) as Record<string, Record<string, unknown>>;
        assert.ok(Object.keys(settings).length > 0);
        for (const [policy, values] of Object.entries(settings)) {
            const [, schema = ""] =
                new RegExp(`name: "${policy}",[^]*?configSchema: ([^]*?)validateResource`).exec(pack) ?? [];
            for (const name of Object.keys(values)) {
                assert.match(schema, new RegExp(`\\b${name}: \\{ type:|\\b${name}: \\{\\n`), `${policy}.${name}`);
            }
        }
    });
});

describe("a block in a document", () => {
    it("is in a language that a test checks", () => {
        const checked = ["dockerfile", "go", "json", "python", "sh", "text", "ts", "yaml"];
        const others = blocksOf().filter(({ language }) => !checked.includes(language));
        // docs/hcl.md says that nothing of it was tried.
        assert.deepEqual(
            others.map(({ document }) => document.name),
            ["docs/hcl.md"],
        );
    });
});
