import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { COMMANDS } from "../../cli/commands";
import { parse } from "../../cli/parser/parser";
import { root } from "../../scripts/local/paths";

const text = readFileSync(join(root, "docs/slurm.md"), "utf8");

interface Part {
    readonly inputProperties: object;
    readonly properties: object;
}

/** Names of the arguments and outputs of a resource. */
function namesOf(resource: string): string[] {
    const schema = JSON.parse(readFileSync(join(root, "plugin/schema.json"), "utf8"));
    const { inputProperties, properties }: Part = schema.resources[`flux-minicluster:index:${resource}`];
    return [...Object.keys(inputProperties), ...Object.keys(properties)];
}

/** The rows of the tables whose second column has this heading, without the headings. */
const rows = text
    .split("\n\n")
    .filter((part) => /^\| Slurm \| `npx flux-minicluster` \|/.test(part))
    .flatMap((table) => table.trim().split("\n").slice(2))
    .map((row) => row.split("|").slice(1, -1));

/** The code in a cell. */
const codeIn = (cell: string | undefined) => [...(cell ?? "").matchAll(/`([^`]+)`/g)].map(([, code]) => code ?? "");

/** Words as a shell makes them of a line without variables. */
const wordsOf = (line: string) =>
    [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map((found) => found.slice(1).join(""));

describe("docs/slurm.md", () => {
    it("has command lines that the program's parser takes", () => {
        const lines = rows.flatMap(([, line]) => codeIn(line));
        assert.ok(lines.length > 30, `only ${lines.length} lines`);
        for (const line of lines) {
            const result = parse(wordsOf(line), COMMANDS);
            assert.ok("args" in result, line);
            assert.ok(line.startsWith("submit") === (result.args.command === "submit"), line);
        }
    });

    it("has arguments and outputs that exist", () => {
        const known = new Set([...namesOf("FluxJob"), ...namesOf("MiniCluster")]);
        const names = rows.flatMap(([, , argument]) => codeIn(argument)).map((code) => code.replace(/[:.].*/, ""));
        assert.ok(names.length > 25, `only ${names.length} names`);
        assert.deepEqual(
            names.filter((name) => !known.has(name)),
            [],
        );
    });
});
