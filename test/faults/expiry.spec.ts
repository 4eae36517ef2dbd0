import assert from "node:assert/strict";

import { WaitFor } from "flux-minicluster";

import { ChangingCluster } from "../e2e/support/changing";
import { useNamespace } from "../e2e/support/namespace";

describe("MiniCluster that does not wait for its command", () => {
    const namespace = useNamespace();

    it("is expired after the TTL removed its Job, and accepts updates", async () => {
        const cluster = new ChangingCluster(namespace, "brief", {
            command: ["sh", "-c", "until [ -e /tmp/go ]; do sleep 0.1; done"],
            ttlSecondsAfterFinished: 1,
            waitFor: WaitFor.Ready,
        });
        await cluster.stack.up();
        await namespace.exec("brief", ["touch", "/tmp/go"]);
        await cluster.awaitRemoved();
        await cluster.stack.refresh();
        await cluster.stack.preview(true);
        assert.equal((await cluster.stack.up(true)).outputs.cluster.phase, "expired");
        cluster.set({ waitFor: WaitFor.None });
        assert.equal((await cluster.stack.up()).outputs.cluster.phase, "expired");
    });
});
