import assert from "node:assert/strict";

import * as pulumi from "@pulumi/pulumi";

import { immediateOnly } from "../../../../components/arguments/immediateOnly";

describe("arguments that can't be Outputs", () => {
    const later = pulumi.output("*.dat");
    const code = { source: "src", exclude: ["*.bin"] };
    const cases: [string, object, string[]][] = [
        ["plain values", { code, keygen: "pod" }, []],
        ["an argument", { code: pulumi.output(code) }, ["code"]],
        ["a field", { code: { source: later } }, ["code.source"]],
        ["a list", { code: { ...code, exclude: pulumi.output(["*.dat"]) } }, ["code.exclude"]],
        [
            "items of lists",
            { code: { ...code, exclude: ["*.bin", later], include: [Promise.resolve("a")] } },
            ["code.exclude[1]", "code.include[0]"],
        ],
        ["items of lists that may be Outputs", { code, volumes: [later] }, []],
    ];
    for (const [what, args, expected] of cases) {
        it(`are refused: ${what}`, () => {
            const reason =
                "is an Output, but Pulumi needs the value before any Output is known. Give the value itself.";
            assert.deepEqual(
                immediateOnly(args),
                expected.map((property) => ({ property, reason })),
            );
        });
    }
});
