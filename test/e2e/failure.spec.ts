import assert from "node:assert/strict";

import { MiniCluster } from "flux-minicluster";

import { useNamespace } from "./support/namespace";
import { COMMAND, doTo } from "./support/podActions";
import type { Failure, TestStack } from "./support/stack";
import { until } from "./support/until";

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

describe("MiniCluster whose follower is evicted while its command runs", () => {
    const namespace = useNamespace();

    it("reports the eviction in the failed update", async () => {
        const stack = namespace.stack("evicted", async () => {
            new MiniCluster("evicted", { image: namespace.image, size: 2, command: COMMAND });
        });
        const failing = stack.fails("up");
        await until("the command runs", async () =>
            (await namespace.exec("evicted", ["flux", "jobs", "-no", "{status}"]).catch(() => "")).trim() === "RUN"
                ? true
                : undefined,
        );
        await doTo(namespace, "evicted", 1, "pod is evicted");
        const { text } = await failing;
        assert.match(
            text,
            /evicted: evicted-1-\w+ was removed by Kubernetes: Eviction API: evicting\. The command ended/,
        );
        await stack.destroy();
    });
});
