import assert from "node:assert/strict";

import { describeProgress } from "../../../../scripts/local/binaries";

describe("the progress of a build", () => {
    it("has the packages of all and the time left, if they are known", () => {
        const half = { compiled: 563, total: 3908, seconds: 80 };
        assert.equal(describeProgress(half), "563 of 3908 packages after 80 s, at most about 8 min left");
        assert.equal(
            describeProgress({ ...half, compiled: 3900, seconds: 300 }),
            "3900 of 3908 packages after 300 s, at most about 1 s left",
        );
        assert.equal(describeProgress({ ...half, total: undefined }), "building, 80 s");
        assert.equal(describeProgress({ ...half, compiled: 0 }), "building, 80 s");
    });
});
