import assert from "node:assert/strict";

import { firstIds } from "../../../../../components/features/broker/idset";

describe("firstIds", () => {
    it("writes several ids as a range", () => {
        assert.equal(firstIds(4), "0-3");
    });

    it("writes one id without a range", () => {
        assert.equal(firstIds(1), "0");
    });
});
