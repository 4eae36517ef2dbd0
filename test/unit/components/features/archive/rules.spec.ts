import assert from "node:assert/strict";

import type { PlainArgs } from "../../../../../components/args";
import { archive, OnDamage } from "../../../../../components/features/archive";
import { makeSpec, problemsOf } from "../../../support/spec";

const problems = (args: Partial<PlainArgs>) => problemsOf(archive, makeSpec({ command: [], ...args }));

describe("the rules of archive", () => {
    for (const args of [
        {},
        { archive: { persistentVolumeClaim: "queue" } },
        { archive: { hostPath: "/x", folder: "a.b" } },
        { archive: { hostPath: "/x", onDamage: OnDamage.Fail } },
    ]) {
        it(`accept ${JSON.stringify(args)}`, () => assert.deepEqual(problems(args), []));
    }

    const late = "is given, but an ephemeral cluster has no queue after its command. Remove archive or command.";
    const wrong: [Partial<PlainArgs>, string[]][] = [
        [{ archive: {} }, ["archive: has none of hostPath, persistentVolumeClaim, source; give exactly one."]],
        [
            { archive: { hostPath: "/x", source: {} } },
            ["archive: has hostPath and source; give exactly one of hostPath, persistentVolumeClaim, source."],
        ],
        [
            { archive: { hostPath: "/x", folder: "../x" } },
            [
                `archive.folder: is "../x"; a directory name has up to 128 letters, digits, '.', '_' and '-', and starts with a letter or a digit.`,
            ],
        ],
        [{ archive: { hostPath: "/x", period: -1 } }, ["archive.period: is -1; it must be at least 0."]],
        [{ command: ["x"], archive: { hostPath: "/x" } }, [`archive: ${late}`]],
    ];
    for (const [args, texts] of wrong) {
        it(`refuse ${JSON.stringify(args)}`, () => assert.deepEqual(problems(args), texts));
    }
});
