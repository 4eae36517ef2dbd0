import assert from "node:assert/strict";

import { parseQuantity } from "../../../../provider/contract/quantity";

describe("parseQuantity", () => {
    const quantities: [string, number][] = [
        ["4", 4],
        ["0", 0],
        ["0.5", 0.5],
        [".5", 0.5],
        ["5.", 5],
        ["500m", 0.5],
        ["1k", 1000],
        ["2M", 2e6],
        ["1.5Gi", 1.5 * 2 ** 30],
        ["8Ki", 8192],
        ["1e3", 1000],
        ["1E3", 1000],
        ["12e-1", 1.2],
        ["1E", 1e18],
        ["-1", -1],
        ["+1", 1],
        ["3n", 3e-9],
        ["7u", 7e-6],
        ["1G", 1e9],
        ["1T", 1e12],
        ["1P", 1e15],
        ["1Ti", 2 ** 40],
        ["1Pi", 2 ** 50],
        ["1Ei", 2 ** 60],
    ];
    for (const [text, expected] of quantities) {
        it(`reads ${text} as ${expected}`, () => {
            assert.equal(parseQuantity(text), expected);
        });
    }

    it("reads millis and decimals as the same number, or a refresh would find drift", () => {
        for (let milli = 0; milli < 20_000; milli++) {
            assert.equal(parseQuantity(`${milli}m`), parseQuantity(String(milli / 1000)));
        }
    });

    for (const text of ["", " ", "4 ", "4GB", "4gi", "1.2.3", "e3", "four", "1e", "0x10", "Infinity", "K", "1K"]) {
        it(`returns undefined for "${text}"`, () => {
            assert.equal(parseQuantity(text), undefined);
        });
    }
});
