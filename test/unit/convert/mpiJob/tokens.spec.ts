import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";

import fc from "fast-check";

import { singleCommand } from "../../../../convert/mpiJob/script/script";
import { tokensOf } from "../../../../convert/mpiJob/script/tokens";

/** The words that bash reads. */
function inBash(script: string): string[] | undefined {
    const { status, stdout } = spawnSync("bash", ["-c", `printf '%s\\0' ${script}`], { encoding: "utf8" });
    return status === 0 ? stdout.split("\0").slice(0, -1) : undefined;
}

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

    it("reads the words of each command without expansions as bash does", function () {
        this.timeout(30_000);
        const pieces = ["a", "-n", "2", "'", '"', "\\", " ", "\n", "$", "=", "/", "#", ":", ",", "%", "x y"];
        let compared = 0;
        fc.assert(
            fc.property(fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 9 }), (parts) => {
                const script = `w ${parts.join("")}`;
                const words = singleCommand(script, "path");
                if (words !== undefined) {
                    compared += 1;
                    assert.deepEqual(
                        words.map(({ text }) => text),
                        inBash(script.trim()),
                        script,
                    );
                }
            }),
            { numRuns: 400, seed: 40 },
        );
        assert.ok(compared > 100, `${compared} commands were compared`);
    });
});
