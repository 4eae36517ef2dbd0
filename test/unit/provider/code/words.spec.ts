import assert from "node:assert/strict";

import { codeWords } from "../../../../provider/code/words";
import type { Code } from "../../../../provider/contract/code/code";

const code = (files: Readonly<Record<string, string>>, more: Partial<Code> = {}): Code => ({
    source: "src",
    exclude: [],
    include: [],
    hash: JSON.stringify(files),
    parts: 1,
    count: Object.keys(files).length,
    bytes: 20,
    files,
    leftOut: [],
    ...more,
});

describe("the words of a preview about the code", () => {
    const WORDS: readonly [string, Code | undefined, Code, string[]][] = [
        ["new code by its size", undefined, code({ a: "1" }), ["code: 1 file, 20 bytes"]],
        [
            "what is left out",
            undefined,
            code({ a: "1", b: "2" }, { bytes: 838_861, leftOut: [".git", ".venv"] }),
            ["code: 2 files, 819.2 KiB; left out: .git, .venv"],
        ],
        ["large code in MiB", undefined, code({ a: "1" }, { bytes: 2 ** 20 }), ["code: 1 file, 1 MiB"]],
        [
            "changed, added and removed files",
            code({ a: "1", b: "2", c: "3" }),
            code({ a: "1", b: "x 2", constructor: "4" }),
            ["code: 3 files, 20 bytes", "code: changed: b; added: constructor; removed: c"],
        ],
        [
            "at most 20 files of a kind",
            code({}),
            code(Object.fromEntries(Array.from({ length: 23 }, (_, index) => [`f${index + 10}`, ""]))),
            [
                "code: 23 files, 20 bytes",
                `code: added: ${Array.from({ length: 20 }, (_, index) => `f${index + 10}`).join(", ")} and 3 more`,
            ],
        ],
    ];
    for (const [what, before, now, words] of WORDS) {
        it(`tell ${what}`, () => assert.deepEqual(codeWords(before, now), words));
    }
});
