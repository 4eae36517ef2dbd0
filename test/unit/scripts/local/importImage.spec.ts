import assert from "node:assert/strict";

import { pullFailure } from "../../../../scripts/local/cluster/importImage";

describe("an image of FLUX_IMAGE that can't be pulled", () => {
    it("is named with the cause and the cure", () => {
        const said =
            "`ctr images pull` failed (1): fetching\nctr: failed to resolve reference: no such host\nelapsed: 0.1 s total: 0.0 B";
        assert.equal(
            pullFailure("flux-real:0.88", new Error(said)).message,
            "FLUX_IMAGE=flux-real:0.88 can't be pulled: failed to resolve reference: no such host. " +
                "Give the name of an image that this machine can pull, or the path of an archive as docker save writes it.",
        );
    });
});
