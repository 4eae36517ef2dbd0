import assert from "node:assert/strict";

import fc from "fast-check";

import { lineText } from "../../../../../provider/observe/live/cutLines";

describe("lineText", () => {
    const lines: [what: string, line: string, wanted: string][] = [
        ["keeps a plain line", "step 1, größer", "step 1, größer"],
        ["removes colours", "\u001b[1;31mred\u001b[0m and plain", "red and plain"],
        [
            "removes titles and links",
            "\u001b]0;title\u0007a \u001b]8;;http://x\u001b\\link\u001b]8;;\u001b\\",
            "a link",
        ],
        ["removes movements of the cursor", "\u001b[2K\u001b[1Gstep 2\u001b(B", "step 2"],
        ["shows the last text of a line that was written over", "10 %\r20 %\r30 %\r", "30 %"],
        ["keeps a line with the line ends of Windows", "step 3\r", "step 3"],
        ["makes a tab a space", "a\tb", "a b"],
        ["removes characters that turn the order of the text", "a\u202eb\u200b", "ab"],
        ["shortens a long line", "0123456789abcdefghijk", "0123456789abcdefg..."],
    ];
    for (const [what, line, wanted] of lines) {
        it(what, () => {
            assert.equal(lineText(Buffer.from(line), 20), wanted);
        });
    }

    it("shows of binary data only what can be shown", () => {
        const shown = fc.uint8Array({ maxLength: 300 });
        fc.assert(
            fc.property(shown, (bytes) => {
                const text = lineText(Buffer.from(bytes), 40);
                assert.ok([...text].length <= 40);
                assert.doesNotMatch(text, /[\p{Cc}\p{Cf}\uFFFD]/u);
            }),
        );
    });
});
