import assert from "node:assert/strict";

import { amountOf } from "../../../../cli/cp/progressRow";

describe("amountOf", () => {
    it("gives a number of bytes in its largest unit", () => {
        const cases: [number, string][] = [
            [0, "0 B"],
            [999, "999 B"],
            [1000, "1.0 kB"],
            [20_000_000, "20 MB"],
            [1_500_000_000, "1.5 GB"],
            [5e15, "5000 TB"],
        ];
        assert.deepEqual(
            cases.map(([bytes]) => amountOf(bytes)),
            cases.map(([, text]) => text),
        );
    });
});
