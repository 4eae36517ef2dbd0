import assert from "node:assert/strict";

import type { V1Job } from "@kubernetes/client-node";
import { MiniCluster } from "flux-minicluster";

import { ChangingCluster } from "../support/changing";
import { useNamespace } from "../support/namespace";
import { until } from "../support/until";

const metadata = (name: string) => ({ name, labels: { "app.kubernetes.io/managed-by": "Helm" } });

/** A Job that belongs to Helm. */
const foreignJob = (name: string): V1Job => ({
    metadata: metadata(name),
    spec: {
        suspend: true,
        template: { spec: { restartPolicy: "Never", containers: [{ name: "main", image: "localhost/none:1" }] } },
    },
});

describe("MiniCluster whose object name is taken", () => {
    const namespace = useNamespace();

    it("refuses to adopt Helm's Job, names its owner, and keeps it", async () => {
        const { batch } = namespace.kube;
        const body = foreignJob("taken");
        const { metadata } = await batch.createNamespacedJob({ namespace: namespace.name, body });
        const cluster = new ChangingCluster(namespace, "taken", {});
        const { text } = await cluster.stack.fails("up");
        assert.match(
            text,
            new RegExp(
                `Job ${namespace.name}/taken exists and belongs to Helm\\. Delete it, or give the MiniCluster another name\\.`,
            ),
        );
        await cluster.stack.destroy();
        assert.equal(await cluster.uid(), metadata?.uid);
    });

    it("refuses to adopt the Job of another MiniCluster, and keeps it", async () => {
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

    it("refuses to adopt Helm's Services and Secret, and keeps them", async () => {
        const { core } = namespace.kube;
        const here = { namespace: namespace.name };
        const theirs = ["Service/first-lead", "Service/second", "Secret/third-secrets"];
        for (const name of ["first-lead", "second"]) {
            await core.createNamespacedService({
                ...here,
                body: { metadata: metadata(name), spec: { ports: [{ port: 80 }] } },
            });
        }
        await core.createNamespacedSecret({
            ...here,
            body: { metadata: metadata("third-secrets"), stringData: { mine: "yes" } },
        });
        const stack = namespace.stack("others", async () => {
            for (const name of ["first", "second", "third"]) {
                new MiniCluster(name, { image: namespace.image, restful: { enabled: false } });
            }
        });
        const { text } = await stack.fails(() =>
            stack.run((automation, onEvent, onOutput) => automation.up({ continueOnError: true, onEvent, onOutput })),
        );
        for (const name of ["first-lead", "second"]) {
            assert.match(text, new RegExp(`core/v1:Service \\(${name}\\):\\s+error: .*\\s+.*had an apply conflict`));
        }
        assert.match(
            text,
            /Secret \S+\/third-secrets can't be created: it exists and does not belong to this MiniCluster\. Delete it/,
        );
        await stack.destroy();
        const objects = await namespace.objects();
        assert.deepEqual(
            theirs.filter((object) => !objects.includes(object)),
            [],
        );
    });
});

describe("MiniCluster whose Job another client replaced", () => {
    const namespace = useNamespace();
    let cluster: ChangingCluster;
    let uid: string | undefined;

    before(async () => {
        cluster = new ChangingCluster(namespace, "moved", {});
        await cluster.stack.up();
        const { annotations } = (await cluster.job()).metadata ?? {};
        await namespace.kube.batch.deleteNamespacedJob({
            name: "moved",
            namespace: namespace.name,
            propagationPolicy: "Foreground",
        });
        await until("the Job is removed", () =>
            cluster.job().then(
                () => undefined,
                () => true,
            ),
        );
        // The other Job has even the annotations of the MiniCluster's Job.
        const body = foreignJob("moved");
        body.metadata = { ...body.metadata, annotations };
        uid = (await namespace.kube.batch.createNamespacedJob({ namespace: namespace.name, body })).metadata?.uid;
    });

    it("refuses to patch the other Job", async () => {
        cluster.set({ backoffLimit: 3 });
        const { text } = await cluster.stack.fails("up");
        assert.match(text, /was deleted by another client\. Run pulumi refresh/);
        assert.notEqual((await cluster.job()).spec?.backoffLimit, 3);
    });

    it("keeps the other Job when it is destroyed", async () => {
        await cluster.stack.destroy();
        const { metadata } = await cluster.job();
        assert.equal(metadata?.uid, uid);
        assert.equal(metadata?.deletionTimestamp, undefined);
    });
});

describe("MiniCluster whose Job is missing in the state", () => {
    const namespace = useNamespace();

    it("adopts the Job in the next update, as docs/takeover.md says", async () => {
        const cluster = new ChangingCluster(namespace, "found", {});
        await cluster.stack.up();
        const [uid, pods] = [await cluster.uid(), await cluster.podUids()];
        await forget(cluster, ["job", "status"]);
        await cluster.stack.up();
        assert.equal(await cluster.uid(), uid);
        assert.deepEqual(await cluster.podUids(), pods);
        await cluster.assertSettled();
    });

    /** Removes resources from the state, as `pulumi state delete` does. */
    async function forget(cluster: ChangingCluster, parts: readonly string[]): Promise<void> {
        const automation = await cluster.stack.open();
        const state = await automation.exportStack();
        const names = parts.map((part) => `${cluster.name}-${part}`);
        state.deployment.resources = state.deployment.resources.filter(
            ({ urn }: { urn: string }) => !names.some((name) => urn.endsWith(`::${name}`)),
        );
        await automation.importStack(state);
    }
});
