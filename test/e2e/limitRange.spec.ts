import assert from "node:assert/strict";

import { Fit } from "flux-minicluster";

import { ChangingCluster } from "./support/changing";
import { useNamespace } from "./support/namespace";

/** Its containers ask for 10m, with a limit of 200m. */
const OWN = "flux-budget";
const CURE = "podTemplate\\.spec\\.initContainers";

describe("LimitRange that a container of the cluster's own breaks", () => {
    const namespace = useNamespace();
    let cluster: ChangingCluster;

    before(async () => {
        const limits = [{ type: "Container", min: { cpu: "100m" }, maxLimitRequestRatio: { cpu: "4" } }];
        await namespace.kube.core.createNamespacedLimitRange({
            namespace: namespace.name,
            body: { metadata: { name: "narrow" }, spec: { limits } },
        });
        cluster = new ChangingCluster(namespace, "narrow", {
            size: 1,
            disruptionBudget: true,
            fit: Fit.Refuse,
            resources: { limits: { cpu: "400m" }, requests: { cpu: "200m" } },
            timeouts: { podCreation: 5 },
        });
    });

    it("fails the preview, which names the container, the limits and the cure", async () => {
        const { text } = await cluster.stack.fails("preview");
        for (const words of [
            `LimitRange narrow wants at least 0\\.1 cpu, container ${OWN} has 0\\.01 cpu \\(change its resources in ${CURE}\\)`,
            `LimitRange narrow allows a limit of cpu up to 4 times the request, container ${OWN} has another one \\(.* ${CURE}\\)`,
        ]) {
            assert.match(text, new RegExp(words));
        }
    });

    it("fails an update that didn't judge it, with the words of Kubernetes and the cure", async () => {
        cluster.set({ fit: Fit.Off });
        const { text } = await cluster.stack.fails("up");
        assert.match(
            text,
            new RegExp(`minimum cpu usage per Container is 100m, but request is 10m.* change its resources in ${CURE}`),
        );
    });

    it("lets the pods in when podTemplate gives the container other amounts", async () => {
        const initContainers = [{ name: OWN, resources: { requests: { cpu: "100m" } } }];
        cluster.set({ fit: Fit.Refuse, podTemplate: { spec: { initContainers } } });
        await cluster.stack.up();
        const [pod] = await namespace.pods("narrow");
        const own = pod.spec?.initContainers?.find(({ name }) => name === OWN);
        assert.deepEqual(JSON.parse(JSON.stringify(own?.resources)), {
            limits: { cpu: "200m", memory: "128Mi" },
            requests: { cpu: "100m", memory: "64Mi" },
        });
    });
});
