import assert from "node:assert/strict";

import { isUnknown, UNKNOWN } from "../../../provider/unknown";

describe("isUnknown", () => {
    for (const value of [UNKNOWN, [UNKNOWN], { a: { b: [1, UNKNOWN] } }]) {
        it(`is true of ${JSON.stringify(value)}`, () => assert.equal(isUnknown(value), true));
    }

    for (const value of [undefined, null, "", 0, {}, [], { a: [null] }, `${UNKNOWN}x`]) {
        it(`is false of ${JSON.stringify(value)}`, () => assert.equal(isUnknown(value), false));
    }

    it("knows the marker by which the Pulumi SDK stands for unknown values", () => {
        const { unknownValue } = require("@pulumi/pulumi/runtime/rpc") as { unknownValue: string };
        assert.equal(UNKNOWN, unknownValue);
    });
});
