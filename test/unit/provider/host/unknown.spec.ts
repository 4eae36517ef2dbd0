import assert from "node:assert/strict";

import { isUnknown, UNKNOWN } from "../../../../provider/host/unknown";

describe("isUnknown", () => {
    for (const value of [UNKNOWN, [UNKNOWN], { a: { b: [1, UNKNOWN] } }]) {
        it(`is true for ${JSON.stringify(value)}`, () => assert.equal(isUnknown(value), true));
    }

    for (const value of [undefined, null, "", 0, {}, [], { a: [null] }, `${UNKNOWN}x`]) {
        it(`is false for ${JSON.stringify(value)}`, () => assert.equal(isUnknown(value), false));
    }

    it("uses the Pulumi SDK's marker for unknown values", () => {
        const { unknownValue } = require("@pulumi/pulumi/runtime/rpc") as { unknownValue: string };
        assert.equal(UNKNOWN, unknownValue);
    });
});
