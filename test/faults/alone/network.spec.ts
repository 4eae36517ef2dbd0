import assert from "node:assert/strict";

import { MiniCluster } from "flux-minicluster";

import { findSite, type Site } from "../../../scripts/local/cluster/site";
import { LossyNetwork } from "../../e2e/support/lossyNetwork";
import { type TestNamespace, useNamespace } from "../../e2e/support/namespace";
import { SecondCluster } from "../../e2e/support/secondCluster";
import { startKubernetes } from "../../e2e/support/secondKubernetes";
import { until } from "../../e2e/support/until";

describe("MiniCluster", () => {
    const namespace = useNamespace();

    it("is ready after losing its first packets to the lead", () => startWithLosses(namespace, findSite() as Site));
});

const networks: [string, NodeJS.ProcessEnv, RegExp][] = [
    ["with kube-proxy in iptables mode", { PROXY: "iptables" }, /^[\d.]+$/],
    ["on an IPv6 service range", { IP_FAMILY: "ipv6" }, /:/],
];

for (const [kind, environment, address] of networks) {
    describe(`MiniCluster ${kind}`, () => {
        const kubernetes = new SecondCluster();
        // After hooks run in the order of their registration, so the namespace is removed before the cluster.
        const namespace = useNamespace({ world: () => startKubernetes(kubernetes, environment) });
        after(() => kubernetes.remove());

        it("is ready after losing its first packets to the lead", async () => {
            await startWithLosses(namespace, findSite(kubernetes.state) as Site);
            const { spec } = await namespace.kube.core.readNamespacedService({
                name: "lossy-lead",
                namespace: namespace.name,
            });
            assert.match(spec?.clusterIP ?? "", address);
        });
    });
}

const FOLLOWERS = 3;

/**
 * Starts a cluster while each follower's first three packets to the lead are dropped. The kernel sends the second
 * packet after a second, so the losses last longer than the first connect timeout of broker.toml.
 */
async function startWithLosses(namespace: TestNamespace, site: Site): Promise<void> {
    const network = new LossyNetwork(site);
    const stack = namespace.stack("lossy", async () => ({
        phase: new MiniCluster("lossy", { image: namespace.image, size: FOLLOWERS + 1, restful: { enabled: false } })
            .phase,
    }));
    await network.dropSyn(8050);
    try {
        const update = stack.up();
        const tried = until(
            "three packets of each follower are dropped",
            async () => (await network.dropped()) >= 3 * FOLLOWERS || undefined,
            120,
        );
        await Promise.race([tried, update]);
        const dropped = await network.dropped();
        await network.restore();
        const { outputs } = await update;
        assert.equal(outputs.phase, "ready");
        assert(dropped >= 3 * FOLLOWERS, `only ${dropped} packets were dropped`);
    } finally {
        await network.restore();
    }
}
