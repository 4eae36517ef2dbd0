import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { ROOT } from "./documents";

const text = readFileSync(join(ROOT, "docs/troubleshooting.md"), "utf8");

/** The names of the sections behind each moment of the page's table. */
const MOMENTS = text
    .split("| moment | sections |\n|---|---|\n")[1]
    .split("\n\n")[0]
    .split("\n")
    .map((row) => [row.split("|")[1].trim(), [...row.matchAll(/\[([^\]]+)\]\(#/g)].map(([, name]) => name)] as const);

describe("the page about troubles", () => {
    it("follows the life of a cluster, and names each of its sections under one moment", () => {
        const moments = ["before it is created", "while it starts", "while it runs", "at its end", "at destroy"];
        assert.deepEqual(
            MOMENTS.map(([moment]) => moment),
            moments,
        );
        const sections = [...text.matchAll(/^## (.+)$/gm)].map(([, name]) => name);
        assert.deepEqual(
            MOMENTS.flatMap(([, names]) => names),
            sections,
        );
    });
});
