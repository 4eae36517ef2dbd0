import assert from "node:assert/strict";

import { Compiler } from "../types/support";
import { blocksOf, placeOf } from "./documents";
import { preview, programOf } from "./program";

const blocks = blocksOf("ts");

/** A policy pack runs in a host of its own: test/unit/provider/policy has its functions. */
const isPack = (text: string) => text.includes('from "@pulumi/policy"');

/** Its program is in a function that a service of the reader calls. */
const CALLED_LATER = "docs/automation.md";

describe("TypeScript in a document", function () {
    this.timeout(120_000);

    it("compiles", () => {
        assert.ok(blocks.length >= 25, `only ${blocks.length} blocks`);
        const programs = blocks.map((block) => [placeOf(block), programOf(block)]);
        assert.deepEqual(new Compiler().errorsOf(Object.fromEntries(programs)), []);
    });

    for (const block of blocks.filter(({ text }) => !isPack(text))) {
        it(`passes a preview: ${placeOf(block)}`, async () => {
            const registered = (await preview(block)).filter(({ name }) => !name.startsWith("given"));
            assert.ok(registered.length > 0 || block.document.name === CALLED_LATER || !/new \w+\(/.test(block.text));
        });
    }

    it("has no other name", () => {
        const others = ["tsx", "js", "javascript"].flatMap(blocksOf);
        assert.deepEqual(others.map(placeOf), []);
    });
});
