import assert from "node:assert/strict";

import { inputsOf } from "../../../provider/host/inputs";
import { defined, partialFailure } from "../../../provider/host/verbs";
import { describeSeconds } from "../../../provider/contract/quantity";

describe("partialFailure", () => {
    it("makes an error with the fields that make Pulumi keep the resource", () => {
        const error = partialFailure("no quorum", "hpc/lammps", {
            phase: "starting",
            exitCode: undefined,
            __provider: "text",
        });
        assert.ok(error instanceof Error);
        assert.equal(error.message, "no quorum");
        assert.deepEqual(
            { ...error },
            {
                id: "hpc/lammps",
                properties: { phase: "starting", __provider: "text" },
                reasons: ["no quorum"],
            },
        );
    });
});

describe("defined", () => {
    it("leaves out undefined values at every depth, because the host can't send them", () => {
        assert.deepEqual(defined({ a: undefined, b: [{ c: undefined }], d: null }), { b: [{}], d: null });
    });
});

describe("inputsOf", () => {
    it("leaves out outputs, undefined values and properties of Pulumi's own", () => {
        const props = { a: 1, b: undefined, c: 0, __provider: "text" };
        assert.deepEqual(inputsOf<typeof props, Omit<typeof props, "c">>(props, { c: undefined }), { a: 1 });
    });
});

describe("describeSeconds", () => {
    const cases: [number, string][] = [
        [0, "0 s"],
        [1.4, "1 s"],
        [89, "89 s"],
        [90, "2 min"],
        [720, "12 min"],
        [5370, "1 h 30 min"],
        [12_000, "3 h 20 min"],
        [86_400, "24 h 0 min"],
    ];
    for (const [seconds, expected] of cases) {
        it(`writes ${seconds} seconds as ${expected}`, () => assert.equal(describeSeconds(seconds), expected));
    }
});
