import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

import { BatchV1Api, KubeConfig } from "@kubernetes/client-node";
import { type LocalWorkspace, Stack } from "@pulumi/pulumi/automation";

import { run } from "../../scripts/local/run";
import { ChangingCluster } from "../e2e/support/changing";
import { FaultProxy } from "../e2e/support/faultProxy";
import { MERGE } from "../e2e/support/liveCluster";
import { useNamespace } from "../e2e/support/namespace";
import { until } from "../e2e/support/until";

describe("MiniCluster with expired credentials in its state", () => {
    const namespace = useNamespace();
    let cluster: ChangingCluster;

    before(async () => {
        const kubeconfig = await kubeconfigThatExpires();
        cluster = new ChangingCluster(namespace, "expired", { kubeconfig });
        await cluster.stack.up();
        await namespace.kube.core.deleteNamespacedServiceAccount({ name: "short-lived", namespace: namespace.name });
        await until("the token is refused", async () => ((await isRefused(kubeconfig)) ? true : undefined));
    });

    it("completes a refresh", () => cluster.stack.refresh());

    it("completes a destroy and leaves nothing", async () => {
        await cluster.stack.destroy();
        await namespace.assertNothingLeft((object) => object.includes("expired"));
    });

    /** As the namespace's kubeconfig, but with a service account that the test deletes. */
    async function kubeconfigThatExpires(): Promise<string> {
        const { core, rbac } = namespace.kube;
        const here = { namespace: namespace.name };
        const name = "short-lived";
        await core.createNamespacedServiceAccount({ ...here, body: { metadata: { name } } });
        const { items } = await rbac.listNamespacedRoleBinding(here);
        const subjects = [...(items[0].subjects ?? []), { kind: "ServiceAccount", name, namespace: namespace.name }];
        await rbac.patchNamespacedRoleBinding(
            { ...here, name: items[0].metadata?.name ?? "", body: { subjects } },
            MERGE,
        );
        const { status } = await core.createNamespacedServiceAccountToken({
            ...here,
            name,
            body: { spec: { audiences: [] } },
        });
        const config = JSON.parse(readFileSync(namespace.kubeconfig, "utf8"));
        config.users[0].user = { token: status?.token };
        return JSON.stringify(config);
    }

    async function isRefused(text: string): Promise<boolean> {
        const config = new KubeConfig();
        config.loadFromString(text);
        const answer = config.makeApiClient(BatchV1Api).listNamespacedJob({ namespace: namespace.name });
        return answer.then(
            () => false,
            ({ code }) => code === 401,
        );
    }
});

describe("MiniCluster in an unreachable Kubernetes cluster", () => {
    const namespace = useNamespace();
    const name = "PULUMI_K8S_DELETE_UNREACHABLE";

    afterEach(() => {
        delete process.env[name];
    });

    it("can be destroyed only with PULUMI_K8S_DELETE_UNREACHABLE", async () => {
        const proxy = await FaultProxy.start(namespace.kubeconfig);
        namespace.kubeconfig = proxy.kubeconfig;
        const cluster = new ChangingCluster(namespace, "lost", {});
        await cluster.stack.up();
        await proxy.away();
        const { text } = await cluster.stack.fails("destroy");
        assert.match(text, /can't be (read|deleted).*ECONNREFUSED/);
        process.env[name] = "true";
        await cluster.stack.destroy();
        assert.deepEqual(cluster.stack.resources(), []);
        await proxy.close();
    });
});

describe("running MiniCluster", () => {
    const namespace = useNamespace();

    it("moves to another stack without changes, as docs/troubleshooting.md says", async () => {
        const cluster = new ChangingCluster(namespace, "moved", {});
        await cluster.stack.up();
        const [uid, pods] = [await cluster.uid(), await cluster.podUids()];
        const { workspace } = await cluster.stack.open();
        const other = await Stack.createOrSelect("elsewhere", workspace);
        const { urn = "" } =
            cluster.stack.resources().find(({ type }) => type === "flux-minicluster:index:MiniCluster") ?? {};
        const move = ["state", "move", "--source", "moved", "--dest", "elsewhere", "--yes", urn];
        const { envVars } = workspace as LocalWorkspace;
        await run("pulumi", move, { cwd: workspace.workDir, env: { ...process.env, ...envVars } });
        await other.up({ expectNoChanges: true });
        await other.refresh({ expectNoChanges: true });
        assert.equal(await cluster.uid(), uid);
        assert.deepEqual(await cluster.podUids(), pods);
        await other.destroy();
        await namespace.assertNothingLeft((object) => object.includes("/moved"));
    });
});
