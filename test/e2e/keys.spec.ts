import assert from "node:assert/strict";

import { Keygen, MiniCluster } from "flux-minicluster";

import { useNamespace } from "./support/namespace";
import { requireNoSecret } from "./support/secrets";
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

describe("key that the lead makes", () => {
    const namespace = useNamespace();

    it("is encrypted in the state after a refresh, and not there before", async () => {
        const stack = namespace.stack("made", async () => {
            const bare = { image: namespace.image, size: 1, restful: { enabled: false } };
            new MiniCluster("made", { ...bare, keygen: Keygen.InitContainer });
        });
        await stack.up();
        const secretInState = () =>
            stack
                .resources()
                .find(({ type, urn }) => type === "kubernetes:core/v1:Secret" && urn.endsWith("::made-curve"));
        assert.equal(secretInState()?.outputs?.data, undefined);
        const { data } = await namespace.kube.core.readNamespacedSecret({
            name: "made-curve",
            namespace: namespace.name,
        });
        const certificate = Buffer.from(data?.["curve.cert"] ?? "", "base64").toString();
        assert.match(certificate, /secret-key/);
        await stack.refresh(true);
        assert.ok(secretInState()?.outputs?.data.ciphertext);
        requireNoSecret([...stack.files(), stack.printed], [certificate, data?.["curve.cert"] ?? ""]);
        await stack.preview(true);
    });
});
