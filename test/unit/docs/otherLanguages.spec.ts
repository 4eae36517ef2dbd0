import assert from "node:assert/strict";

import { PositionEncoding, Workspace } from "@astral-sh/ruff-wasm-nodejs";

import { blocksOf, placeOf } from "./documents";

/* test/faults/docs.spec.ts compiles whole programs against the SDKs, and previews them. */

describe("Python in a document", () => {
    const workspace = new Workspace({}, PositionEncoding.Utf16);

    for (const block of blocksOf("python")) {
        it(`has no error of syntax: ${placeOf(block)}`, () => {
            assert.ok(workspace.format(block.text).length > 0);
        });
    }
});

describe("Go in a document", () => {
    it("is a whole program", () => {
        const parts = blocksOf("go").filter(({ text }) => !/^package main$/m.test(text));
        assert.deepEqual(parts.map(placeOf), []);
    });
});
