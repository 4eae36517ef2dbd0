import assert from "node:assert/strict";

import { ChangingCluster } from "../support/changing";
import { MERGE } from "../support/liveCluster";
import { useNamespace } from "../support/namespace";
import { until } from "../support/until";

/** Most tests start with an update that expects no changes, so the test before needs no preview at its end. */
describe("MiniCluster changed by another client", () => {
    const namespace = useNamespace();
    let cluster: ChangingCluster;
    let uid: string | undefined;
    let pods: (string | undefined)[];

    before(async () => {
        cluster = new ChangingCluster(namespace, "drifts", { size: 2 });
        await cluster.stack.up();
        uid = await cluster.uid();
    });

    beforeEach(async () => {
        pods = await cluster.podUids();
    });

    it("shows no drift for annotations and labels that it does not own", async () => {
        await cluster.patchJob({ metadata: { annotations: { note: "seen" }, labels: { note: "seen" } } });
        await cluster.stack.unchanged();
        assert.equal((await cluster.job()).metadata?.annotations?.note, "seen");
    });

    it("shows a changed Job size and label after a refresh, and restores them", async () => {
        const name = "app.kubernetes.io/name";
        await cluster.patchJob({ metadata: { labels: { [name]: "other" } }, spec: { completions: 1, parallelism: 1 } });
        await cluster.stack.up(true);
        assert.equal((await cluster.job()).spec?.parallelism, 1);
        await cluster.stack.refresh();
        const { changes, text } = await cluster.preview();
        assert.deepEqual(changes, { "drifts-job": "update", "drifts-status": "update" });
        assert.match(text, /~ parallelism: 1 => 2/);
        assert.match(text, /~ app\.kubernetes\.io\/name: "other" => "flux-minicluster"/);
        await cluster.stack.up();
        assert.equal(await cluster.uid(), uid);
        assert.deepEqual(await cluster.nodes(), { free: 2 });
    });

    it("shows a suspended Job after a refresh, and resumes it", async () => {
        await cluster.patchJob({ spec: { suspend: true } });
        await until("the pods are removed", async () => ((await cluster.podUids()).length === 0 ? true : undefined));
        await cluster.stack.up(true);
        const { outputs } = await cluster.stack.refresh();
        assert.equal(outputs.cluster?.phase ?? cluster.child("status")?.outputs?.phase, "suspended");
        const { changes, text } = await cluster.preview();
        assert.deepEqual(changes, { "drifts-job": "update", "drifts-status": "update" });
        assert.match(text, /~ suspend: true => false/);
        await cluster.stack.up();
        assert.deepEqual(await cluster.nodes(), { free: 2 });
    });

    it("has a Secret and a ConfigMap whose edits Kubernetes refuses", async () => {
        const { core } = namespace.kube;
        const here = { namespace: namespace.name };
        const edits = [
            core.patchNamespacedSecret(
                { ...here, name: "drifts-secret", body: { data: { "curve.cert": "bm9uZQ==" } } },
                MERGE,
            ),
            core.patchNamespacedConfigMap(
                { ...here, name: await configMap(), body: { data: { "broker.toml": "none" } } },
                MERGE,
            ),
        ];
        for (const edit of edits) {
            await assert.rejects(edit, /field is immutable when `immutable` is set/);
        }
    });

    it("shows a conflict for an edited Service, and restores it by force", async () => {
        const { core } = namespace.kube;
        const here = { namespace: namespace.name, name: "drifts-lead" };
        const index = "batch.kubernetes.io/job-completion-index";
        await core.patchNamespacedService({ ...here, body: { spec: { selector: { [index]: "1" } } } }, MERGE);
        await cluster.stack.up(true);
        await cluster.stack.refresh();
        const { text } = await cluster.stack.fails("preview");
        assert.match(text, /batch\.kubernetes\.io\/job-completion-index: "1" => "0"/);
        assert.match(
            text,
            /apply conflict: Apply failed with 1 conflict: conflict with "\S+" using v1: \.spec\.selector/,
        );
        process.env.PULUMI_K8S_ENABLE_PATCH_FORCE = "true";
        await cluster.stack.up().finally(() => delete process.env.PULUMI_K8S_ENABLE_PATCH_FORCE);
        assert.equal((await core.readNamespacedService(here)).spec?.selector?.[index], "0");
        assert.deepEqual(await cluster.podUids(), pods);
    });

    it("recreates a deleted Secret, ConfigMap and Service, and keeps all pods", async () => {
        const { core } = namespace.kube;
        const here = { namespace: namespace.name };
        const before = await lasting();
        await core.deleteNamespacedSecret({ ...here, name: "drifts-secret" });
        await core.deleteNamespacedConfigMap({ ...here, name: await configMap() });
        await core.deleteNamespacedService({ ...here, name: "drifts" });
        await cluster.stack.up(true);
        await upRefreshed();
        assert.deepEqual(await lasting(), before);
        assert.deepEqual(await cluster.podUids(), pods);
    });

    it("ignores a deleted Job in up, and recreates it in up --refresh", async () => {
        await cluster.removeJob();
        await cluster.stack.up(true);
        const { text } = await upRefreshed();
        assert.match(text, /drifts-job/);
        assert.deepEqual(await cluster.nodes(), { free: 2 });
        await cluster.assertSettled();
    });

    it("reports a deleted Job in an update that has to change it", async () => {
        await cluster.removeJob();
        cluster.set({ backoffLimit: 5 });
        const { text } = await cluster.stack.fails("up");
        assert.match(text, /was deleted by another client\. Run pulumi refresh, then update again\./);
        await upRefreshed();
        assert.equal((await cluster.job()).spec?.backoffLimit, 5);
    });

    it("recreates a deleted lead Service and its Job in up --refresh", async () => {
        await namespace.kube.core.deleteNamespacedService({ name: "drifts-lead", namespace: namespace.name });
        await cluster.awaitRemoved();
        await cluster.stack.up(true);
        await upRefreshed();
        assert.deepEqual(await cluster.nodes(), { free: 2 });
        await cluster.assertSettled();
    });

    function upRefreshed() {
        return cluster.stack.run((stack, onEvent, onOutput) => stack.up({ onEvent, onOutput, refresh: true }));
    }

    /** All objects except the endpoints that Kubernetes makes for Services, some time after them. */
    async function lasting(): Promise<string[]> {
        return (await namespace.objects()).filter((object) => !object.startsWith("Endpoint")).sort();
    }

    async function configMap(): Promise<string> {
        const config = (await namespace.objects()).find((object) => object.startsWith("ConfigMap/drifts-config"));
        return config?.split("/")[1] ?? "";
    }
});
