import assert from "node:assert/strict";

import { MiniCluster } from "flux-minicluster";

import { useNamespace } from "./support/namespace";
import { until } from "./support/until";

/** Gives the follower's broker another key than the cluster's. */
const otherKey = `
flux keygen "$MINICLUSTER_RUN/other.cert"
printf '[bootstrap]\\ncurve_cert = "%s"\\n' "$MINICLUSTER_RUN/other.cert" >"$MINICLUSTER_RUN/config/z.toml"
`;

describe("rank with another key", () => {
    const namespace = useNamespace();

    it("never joins", async () => {
        const stack = namespace.stack("keys", async () => {
            const args = {
                image: namespace.image,
                size: 2,
                minSize: 1,
                restful: { enabled: false },
                hooks: { worker: otherKey },
                timeouts: { ready: 8 },
            };
            new MiniCluster("keys", args);
        });
        const { text } = await stack.fails("up");
        assert.match(text, /keys: [^]*timeouts\.ready/);
        const status = await until("the lead's broker answers", () =>
            namespace.exec("keys", ["flux", "overlay", "status", "--no-pretty"]).catch(() => undefined),
        );
        assert.match(status, /0 keys-0: partial/);
        assert.match(status, /1 keys-1: offline/);
    });
});
