import assert from "node:assert/strict";

import { MiniCluster } from "flux-minicluster";

import { useNamespace } from "./support/namespace";
import type { Failure, TestStack } from "./support/stack";

describe("MiniCluster whose command fails", () => {
    const namespace = useNamespace();
    const command = ["bash", "-c", "echo working; echo the disk is full >&2; exit 7"];
    let stack: TestStack;
    let failure: Failure;

    before(async () => {
        stack = namespace.stack("fails", async () => {
            new MiniCluster("fails", { image: namespace.image, size: 2, command });
        });
        failure = await stack.fails("up");
    });

    it("reports the exit code and the end of the log in the failed update", () => {
        assert.match(failure.text, /fails: The command ended with exit code 7\./);
        assert.match(failure.text, /The end of the lead's log:[^]*the disk is full/);
    });

    it("keeps phase, exit code and output in the state", async () => {
        const status = stack.resources().find(({ type }) => type.endsWith(":JobStatus"));
        assert.equal(status?.outputs?.phase, "failed");
        assert.equal(status?.outputs?.exitCode, 7);
        assert.match(status?.outputs?.output, /the disk is full/);
    });

    it("leaves nothing when it is destroyed", async () => {
        await stack.destroy();
        await namespace.assertNothingLeft();
    });
});
