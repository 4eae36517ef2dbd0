import assert from "node:assert/strict";

import { engineAddress } from "../../../../provider/engine/cancel";

describe("engineAddress", () => {
    const { argv } = process;

    afterEach(() => (process.argv = argv));

    const cases: [string | undefined, string[]][] = [
        ["127.0.0.1:41234", ["127.0.0.1", "41234"]],
        ["[::1]:41234", ["[::1]", "41234"]],
        ["test/unit/**/*.spec.ts", [""]],
        [undefined, [""]],
    ];
    for (const [argument, expected] of cases) {
        it(`finds ${JSON.stringify(expected)} in ${argument}`, () => {
            process.argv = ["node", "host", ...(argument === undefined ? [] : [argument])];
            assert.deepEqual(engineAddress(), expected);
        });
    }
});
