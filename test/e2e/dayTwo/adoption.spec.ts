import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

import { BatchV1Api, KubeConfig, type V1Job } from "@kubernetes/client-node";
import { type LocalWorkspace, Stack } from "@pulumi/pulumi/automation";
import { MiniCluster } from "flux-minicluster";

import { run } from "../../../local/run";
import { ChangingCluster, MERGE } from "../support/changing";
import { FaultProxy } from "../support/faultProxy";
import { useNamespace } from "../support/namespace";
import { until } from "../support/until";

const metadata = (name: string) => ({ name, labels: { "app.kubernetes.io/managed-by": "Helm" } });

/** A Job that somebody else has. */
const foreignJob = (name: string): V1Job => ({
    metadata: metadata(name),
    spec: {
        suspend: true,
        template: { spec: { restartPolicy: "Never", containers: [{ name: "main", image: "localhost/none:1" }] } },
    },
});

describe("an object of the same name that somebody else has", () => {
    const namespace = useNamespace();

    it("(a Job) is refused with its owner named, and stays", async () => {
        const { batch } = namespace.kube;
        const body = foreignJob("taken");
        const { metadata } = await batch.createNamespacedJob({ namespace: namespace.name, body });
        const cluster = new ChangingCluster(namespace, "taken", {});
        const { text } = await cluster.stack.fails("up");
        assert.match(text, new RegExp(`Job ${namespace.name}/taken exists and belongs to Helm\\. Delete it, or give the MiniCluster another name\\.`));
        await cluster.stack.destroy();
        assert.equal(await cluster.uid(), metadata?.uid);
    });

    it("(a Job of another MiniCluster) is refused with its owner named, and stays", async () => {
        const first = new ChangingCluster(namespace, "shared", {});
        await first.stack.up();
        const uid = await first.uid();
        const second = namespace.stack("second", async () => {
            new MiniCluster("shared", { image: namespace.image, restful: { enabled: false } });
        });
        const { text } = await second.fails("up");
        assert.match(text, /conflict|belongs to another MiniCluster/);
        await second.destroy();
        assert.equal(await first.uid(), uid);
        assert.deepEqual(await first.nodes(), { free: 1 });
        await first.stack.refresh(true);
    });

    const others = [
        ["Service", "first-lead", "services"],
        ["Service", "second", "services"],
        ["Secret", "third-secret", "secrets"],
    ] as const;
    for (const [kind, name] of others) {
        it(`(${kind} ${name}) is refused, and stays`, async () => {
            const { core } = namespace.kube;
            const here = { namespace: namespace.name };
            if (kind === "Service") {
                await core.createNamespacedService({ ...here, body: { metadata: metadata(name), spec: { ports: [{ port: 80 }] } } });
            } else {
                await core.createNamespacedSecret({ ...here, body: { metadata: metadata(name), stringData: { mine: "yes" } } });
            }
            const cluster = new ChangingCluster(namespace, name.split("-")[0], {});
            const { text } = await cluster.stack.fails("up");
            assert.match(text, /conflict/);
            await cluster.stack.destroy();
            const objects = await namespace.objects();
            assert(objects.includes(`${kind}/${name}`), `${kind}/${name} is gone`);
        });
    }
});

describe("a Job that took the place of ours", () => {
    const namespace = useNamespace();
    let cluster: ChangingCluster;
    let uid: string | undefined;

    before(async () => {
        cluster = new ChangingCluster(namespace, "moved", {});
        await cluster.stack.up();
        const { annotations } = (await cluster.job()).metadata ?? {};
        await namespace.kube.batch.deleteNamespacedJob({ name: "moved", namespace: namespace.name, propagationPolicy: "Foreground" });
        await until("the Job is gone", () => cluster.job().then(() => undefined, () => true));
        // As like ours as can be: even the marks are there.
        const body = foreignJob("moved");
        body.metadata = { ...body.metadata, annotations };
        uid = (await namespace.kube.batch.createNamespacedJob({ namespace: namespace.name, body })).metadata?.uid;
    });

    it("is not patched", async () => {
        cluster.set({ backoffLimit: 3 });
        const { text } = await cluster.stack.fails("up");
        assert.match(text, /was deleted by somebody else\. Run pulumi refresh/);
        assert.notEqual((await cluster.job()).spec?.backoffLimit, 3);
    });

    it("is not deleted", async () => {
        await cluster.stack.destroy();
        const { metadata } = await cluster.job();
        assert.equal(metadata?.uid, uid);
        assert.equal(metadata?.deletionTimestamp, undefined);
    });
});

describe("credentials in the state that have expired", () => {
    const namespace = useNamespace();
    let cluster: ChangingCluster;

    before(async () => {
        const kubeconfig = await kubeconfigThatExpires();
        cluster = new ChangingCluster(namespace, "expired", { kubeconfig });
        await cluster.stack.up();
        await namespace.kube.core.deleteNamespacedServiceAccount({ name: "short-lived", namespace: namespace.name });
        await until("the token is refused", async () => ((await isRefused(kubeconfig)) ? true : undefined));
    });

    it("don't stop a refresh", () => cluster.stack.refresh());

    it("don't stop a destroy", async () => {
        await cluster.stack.destroy();
        await namespace.assertNothingLeft((object) => object.includes("expired"));
    });

    /** As the namespace's own, but of a service account that can be deleted. */
    async function kubeconfigThatExpires(): Promise<string> {
        const { core, rbac } = namespace.kube;
        const here = { namespace: namespace.name };
        const name = "short-lived";
        await core.createNamespacedServiceAccount({ ...here, body: { metadata: { name } } });
        const { items } = await rbac.listNamespacedRoleBinding(here);
        const subjects = [...(items[0].subjects ?? []), { kind: "ServiceAccount", name, namespace: namespace.name }];
        await rbac.patchNamespacedRoleBinding({ ...here, name: items[0].metadata?.name ?? "", body: { subjects } }, MERGE);
        const { status } = await core.createNamespacedServiceAccountToken({ ...here, name, body: { spec: { audiences: [] } } });
        const config = JSON.parse(readFileSync(namespace.kubeconfig, "utf8"));
        config.users[0].user = { token: status?.token };
        return JSON.stringify(config);
    }

    async function isRefused(text: string): Promise<boolean> {
        const config = new KubeConfig();
        config.loadFromString(text);
        const answer = config.makeApiClient(BatchV1Api).listNamespacedJob({ namespace: namespace.name });
        return answer.then(() => false, ({ code }) => code === 401);
    }
});

describe("a Kubernetes cluster that is gone", () => {
    const namespace = useNamespace();
    const name = "PULUMI_K8S_DELETE_UNREACHABLE";

    afterEach(() => {
        delete process.env[name];
    });

    it("can't be destroyed, unless PULUMI_K8S_DELETE_UNREACHABLE says so", async () => {
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

describe("a Job that the state has lost", () => {
    const namespace = useNamespace();

    it("is taken over by the next update, as docs/takeover.md says", async () => {
        const cluster = new ChangingCluster(namespace, "found", {});
        await cluster.stack.up();
        const [uid, pods] = [await cluster.uid(), await cluster.podUids()];
        await forget(cluster, ["job", "status"]);
        await cluster.stack.up();
        assert.equal(await cluster.uid(), uid);
        assert.deepEqual(await cluster.podUids(), pods);
        await cluster.assertSettled();
    });

    it("can be moved to another stack while it runs, as docs/takeover.md says", async () => {
        const cluster = new ChangingCluster(namespace, "moved", {});
        await cluster.stack.up();
        const [uid, pods] = [await cluster.uid(), await cluster.podUids()];
        const { workspace } = await cluster.stack.open();
        const other = await Stack.createOrSelect("elsewhere", workspace);
        const { urn = "" } = cluster.stack.resources().find(({ type }) => type === "flux-minicluster:index:MiniCluster") ?? {};
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

    /** As `pulumi state delete` does. */
    async function forget(cluster: ChangingCluster, parts: readonly string[]): Promise<void> {
        const automation = await cluster.stack.open();
        const state = await automation.exportStack();
        const names = parts.map((part) => `${cluster.name}-${part}`);
        state.deployment.resources = state.deployment.resources.filter(({ urn }: { urn: string }) => !names.some((name) => urn.endsWith(`::${name}`)));
        await automation.importStack(state);
    }
});
