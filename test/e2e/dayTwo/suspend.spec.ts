import assert from "node:assert/strict";

import { ChangingCluster, changes } from "../support/changing";
import { useNamespace } from "../support/namespace";
import { until } from "../support/until";

describe("MiniCluster whose Job is patched", () => {
    const namespace = useNamespace();
    let cluster: ChangingCluster;
    let uid: string | undefined;

    /** The annotation of the Job, of the Services and of the ConfigMap. */
    async function teams() {
        const { core } = namespace.kube;
        const here = { namespace: namespace.name };
        const [services, files] = await Promise.all([
            core.listNamespacedService(here),
            core.listNamespacedConfigMap({ ...here, labelSelector: "app.kubernetes.io/instance=held" }),
        ]);
        const objects = [await cluster.job(), ...services.items, ...files.items];
        return objects.map(({ metadata }) => metadata?.annotations?.["example.com/team"]);
    }

    before(async () => {
        cluster = new ChangingCluster(namespace, "held", { size: 2 });
        await cluster.stack.up();
        uid = await cluster.uid();
    });

    it("removes its pods and keeps its Job when it is suspended", async () => {
        cluster.set({ suspend: true });
        const { changes, text } = await cluster.preview();
        assert.deepEqual(changes, { "held-job": "update", "held-status": "update" });
        assert.match(text, /suspend: false => true/);
        const { outputs } = await cluster.stack.up();
        assert.equal(outputs.cluster.phase, "suspended");
        await until("the pods are removed", async () => (await cluster.podUids()).length === 0 || undefined);
        assert.equal(await cluster.uid(), uid);
        await cluster.assertSettled();
    });

    it("is ready again with the same Job when it is resumed", async () => {
        cluster.set({ suspend: false });
        const { outputs } = await cluster.stack.up();
        assert.equal(outputs.cluster.phase, "ready");
        assert.deepEqual(await cluster.nodes(), { free: 2 });
        assert.equal(await cluster.uid(), uid);
    });

    it("changes deadline, TTL, backoffLimit and annotations, and keeps its pods", async () => {
        const pods = await cluster.podUids();
        cluster.set({
            activeDeadlineSeconds: 3600,
            ttlSecondsAfterFinished: 60,
            backoffLimit: 7,
            annotations: { "example.com/team": "physics" },
        });
        const { changes, text } = await cluster.preview();
        // The status changes too, because it records that the TTL may remove the Job.
        const all = { held: "update", "held-lead": "update", "held-job": "update", "held-status": "update" };
        assert.deepEqual(changes, all);
        assert.match(text, /activeDeadlineSeconds: 3600/);
        assert.match(text, /example\.com\/team: "physics"/);
        await cluster.stack.up();
        const { metadata, spec } = await cluster.job();
        assert.equal(spec?.activeDeadlineSeconds, 3600);
        assert.equal(spec.ttlSecondsAfterFinished, 60);
        assert.equal(spec.backoffLimit, 7);
        assert.equal(metadata?.annotations?.["example.com/team"], "physics");
        assert.deepEqual(await teams(), ["physics", "physics", "physics", "physics"]);
        assert.deepEqual(await cluster.podUids(), pods);
    });

    it("removes fields of the Job whose arguments are removed", async () => {
        cluster.set({
            activeDeadlineSeconds: undefined,
            ttlSecondsAfterFinished: undefined,
            backoffLimit: undefined,
            annotations: undefined,
        });
        await cluster.stack.up();
        const { metadata, spec } = await cluster.job();
        assert.equal(spec?.activeDeadlineSeconds, undefined);
        assert.equal(spec?.ttlSecondsAfterFinished, undefined);
        assert.equal(metadata?.annotations?.["example.com/team"], undefined);
        assert.deepEqual(await teams(), [undefined, undefined, undefined, undefined]);
        assert.equal(metadata?.uid, uid);
        await cluster.assertUnchanged();
    });

    it("writes new timeouts only into the state", async () => {
        const { resourceVersion } = (await cluster.job()).metadata ?? {};
        cluster.set({ timeouts: { ready: 600 } });
        const { events } = await cluster.stack.up();
        assert.deepEqual(changes(events), { "held-status": "update" });
        assert.equal((await cluster.job()).metadata?.resourceVersion, resourceVersion);
    });

    it("leaves nothing when it is destroyed while suspended", async () => {
        cluster.set({ suspend: true });
        await cluster.stack.up();
        await cluster.stack.destroy();
        await namespace.assertNothingLeft();
    });
});
