import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";

import type { V1NetworkPolicy } from "@kubernetes/client-node";
import { parse } from "yaml";

import { root } from "../../../scripts/local/paths";
import { GuardedCluster } from "../../e2e/support/guardedCluster";
import { useNamespace } from "../../e2e/support/namespace";
import { SecondCluster } from "../../e2e/support/secondCluster";
import { startKubernetes } from "../../e2e/support/secondKubernetes";
import { until } from "../../e2e/support/until";
import { WebPod } from "../../e2e/support/webPod";

describe("three nodes that enforce policies, with small packets", function () {
    this.timeout(600_000);
    const kubernetes = new SecondCluster();
    const environment = { NODES: "3", POLICY: "on", MTU: "1280" };
    const namespace = useNamespace({ world: () => startKubernetes(kubernetes, environment) });
    after(() => kubernetes.remove());
    let cluster: GuardedCluster;
    let outside: WebPod;

    const apply = (body: V1NetworkPolicy) =>
        namespace.kube.networking.createNamespacedNetworkPolicy({ namespace: namespace.name, body });

    const connect = (address: string, port: number) => [
        "bash",
        "-c",
        `timeout 3 bash -c 'echo >/dev/tcp/${address}/${port}' 2>/dev/null && echo connected || echo denied`,
    ];

    /** What a follower gets from another pod, and that pod from the lead. */
    async function tried(): Promise<string[]> {
        const lead = (await namespace.pods("walled"))[0]?.status?.podIP ?? "";
        const out = await namespace.exec("walled", connect(outside.address, 8000), 1);
        const into = await namespace.kube.exec(namespace.name, outside.name, connect(lead, 8050));
        return [out.trim(), into.trim()];
    }

    before(async () => {
        outside = await WebPod.start(namespace, "outside", "node-0");
        await apply({
            metadata: { name: "deny-all" },
            spec: { podSelector: {}, policyTypes: ["Ingress", "Egress"] },
        });
        await apply(await documentedPolicy("walled"));
        cluster = new GuardedCluster(namespace, "walled", {
            size: 3,
            placement: "exclusive",
            networkPolicy: true,
            disruptionBudget: true,
        });
        await cluster.stack.up();
    });

    it("lets the ranks of a cluster join, with its own policy and that of docs/troubleshooting.md", async () => {
        const hosts = await cluster.flux("run", "-N3", "hostname");
        assert.deepEqual(hosts.split("\n").sort(), ["walled-0", "walled-1", "walled-2"]);
    });

    it("carries large outputs between nodes", async () => {
        const bytes = await namespace.exec("walled", ["sh", "-c", "flux run -N3 head -c 3000000 /dev/zero | wc -c"]);
        assert.equal(bytes.trim(), "9000000");
    });

    it("lets the lead change its disruption budget", async () => {
        const job = await cluster.occupy(2);
        await cluster.untilCovered(0, 2);
        await cluster.flux("cancel", job);
        await cluster.untilCovered("none");
    });

    it("keeps the ranks from other pods, and other pods from the ranks", async () => {
        assert.deepEqual(await tried(), ["denied", "denied"]);
        await namespace.kube.networking.deleteCollectionNamespacedNetworkPolicy({ namespace: namespace.name });
        await until(
            "both connect without the policies",
            async () => (await tried()).every((answer) => answer === "connected") || undefined,
        );
    });

    /** The policy of the documentation, for a cluster and for the API server of this Kubernetes. */
    async function documentedPolicy(name: string): Promise<V1NetworkPolicy> {
        const page = readFileSync(join(root, "docs", "troubleshooting.md"), "utf8");
        const [, section = ""] = page.split("### A namespace that denies outgoing connections");
        const [, text = ""] = /```yaml\n([^]*?)```/.exec(section) ?? [];
        const { address, port } = await apiServer();
        const own = text.replaceAll("NAME", name).replace("10.0.0.1", address).replace("port: 6443", `port: ${port}`);
        return parse(own) as V1NetworkPolicy;
    }

    /** Address and port behind the Service of the API server. */
    async function apiServer(): Promise<{ readonly address: string; readonly port: string }> {
        const { items } = await namespace.kube.discovery.listNamespacedEndpointSlice({
            namespace: "default",
            labelSelector: "kubernetes.io/service-name=kubernetes",
        });
        const [slice] = items;
        assert.ok(slice?.endpoints && slice.ports);
        return { address: String(slice.endpoints[0]?.addresses[0]), port: String(slice.ports[0]?.port) };
    }
});
