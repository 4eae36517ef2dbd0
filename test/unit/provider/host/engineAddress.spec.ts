import assert from "node:assert/strict";

import { engineAddress } from "../../../../provider/host/cancel";

describe("engineAddress", () => {
    const { argv } = process;

    afterEach(() => (process.argv = argv));

    // Words before the address come from pulumi's --logflow and --tracing.
    const cases: [string, string[]][] = [
        ["127.0.0.1:41234", ["127.0.0.1", "41234"]],
        ["[::1]:41234", ["[::1]", "41234"]],
        ["--logtostderr -v=9 127.0.0.1:41234", ["127.0.0.1", "41234"]],
        ["-v=9 --tracing http://127.0.0.1:9411 127.0.0.1:41234", ["127.0.0.1", "41234"]],
        ["test/unit/**/*.spec.ts", [""]],
        ["", [""]],
    ];
    for (const [words, expected] of cases) {
        it(`finds ${JSON.stringify(expected)} in "${words}"`, () => {
            process.argv = ["node", "host", ...words.split(" ").filter(Boolean)];
            assert.deepEqual(engineAddress(), expected);
        });
    }
});
