import assert from "node:assert/strict";

import fc from "fast-check";

import { singleCommand } from "../../../../convert/mpiJob/script/script";
import { tokensOf } from "../../../../convert/mpiJob/script/tokens";
import { printedByBash } from "../../support/bash";

describe("tokensOf", () => {
    const examples: [script: string, expected: string[] | undefined][] = [
        ["a 'b c' \"d e\"", ["a", "b c", "d e"]],
        ["a\\ b c\\\n d", ["a b", "c", "d"]],
        ["a;b&&c||d|e&f\ng", ["a", ";", "b", "&&", "c", "||", "d", "|", "e", "&", "f", "\n", "g"]],
        ["a # b\nc#d", ["a", "\n", "c#d"]],
        ["a > b 2>&1 &> c", ["a", ">", "b", "2>&", "1", "&>", "c"]],
        ["a <<<b", ["a", "<<<", "b"]],
        ["cat <<E\nE", undefined],
        ["a 'b", undefined],
    ];
    for (const [script, expected] of examples) {
        it(`reads ${JSON.stringify(script)}`, () =>
            assert.deepEqual(
                tokensOf(script)?.map(({ text }) => text),
                expected,
            ));
    }

    it("finds the parts at their places, so that all of the script stays", () => {
        const script = "cd /d  &&\tmpirun -n 2 \\\n 'a b'; # x\n";
        for (const { end, raw, start } of tokensOf(script) ?? []) {
            assert.equal(script.slice(start, end), raw);
        }
    });

    it("reads the words of each command without expansions as bash does", () => {
        const pieces = ["a", "-n", "2", "'", '"', "\\", " ", "\n", "$", "=", "/", "#", ":", ",", "%", "x y"];
        const drawn = fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 9 });
        const read = fc.sample(drawn, { numRuns: 400, seed: 40 }).flatMap((parts) => {
            const script = `w ${parts.join("")}`;
            const words = singleCommand(script, "path")?.map(({ text }) => text);
            return words === undefined ? [] : [{ script: script.trim(), words }];
        });
        const printed = printedByBash(read.map(({ script }) => `printf '%s\\0' ${script}`));
        read.forEach(({ script, words }, index) =>
            assert.deepEqual(words, printed[index]?.split("\0").slice(0, -1), script),
        );
        assert.ok(read.length > 100, `${read.length} commands were compared`);
    });
});
