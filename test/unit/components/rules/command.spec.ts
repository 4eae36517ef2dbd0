import assert from "node:assert/strict";

import { command } from "../../../../components/features/command";
import { lineNotice } from "../../../../components/rules/command";
import { makeSpec } from "../../support/spec";

describe("the notice of a line of a shell", () => {
    const commands: [readonly string[], boolean][] = [
        [["hostname -f && date"], true],
        [["echo hello"], true],
        [["hostname"], false],
        [[" hostname"], false],
        [["/opt/my program", "x"], false],
        [["bash", "-c", "hostname -f && date"], false],
        [[], false],
    ];
    for (const [words, isLine] of commands) {
        it(`is ${isLine ? "" : "not "}given of ${JSON.stringify(words)}`, () => {
            const text =
                'is one word with spaces, which names one program. Give each word by itself, or ["bash", "-c", LINE].';
            assert.equal(lineNotice(words), isLine ? text : undefined);
        });
    }

    it("is a notice of the cluster's command, also with launcher", () => {
        const spec = makeSpec({ command: ["flux run hostname"], launcher: true });
        assert.deepEqual(
            command.notices?.(spec).map(({ property }) => property),
            ["command"],
        );
    });
});
