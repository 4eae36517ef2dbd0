import assert from "node:assert/strict";

import { ChangingCluster, changes } from "../support/changing";
import { useNamespace } from "../support/namespace";
import { until } from "../support/until";

describe("a change of what can be patched", () => {
    const namespace = useNamespace();
    let cluster: ChangingCluster;
    let uid: string | undefined;

    before(async () => {
        cluster = new ChangingCluster(namespace, "held", { size: 2 });
        await cluster.stack.up();
        uid = await cluster.uid();
    });

    it("suspends: the pods end and the Job stays", async () => {
        cluster.set({ suspend: true });
        const { changes, text } = await cluster.preview();
        assert.deepEqual(changes, { "held-job": "update", "held-status": "update" });
        assert.match(text, /suspend: false => true/);
        const { outputs } = await cluster.stack.up();
        assert.equal(outputs.cluster.phase, "suspended");
        await until("the pods are gone", async () => (await cluster.podUids()).length === 0 || undefined);
        assert.equal(await cluster.uid(), uid);
        await cluster.assertSettled();
    });

    it("resumes", async () => {
        cluster.set({ suspend: false });
        const { outputs } = await cluster.stack.up();
        assert.equal(outputs.cluster.phase, "ready");
        assert.deepEqual(await cluster.nodes(), { free: 2 });
        assert.equal(await cluster.uid(), uid);
    });

    it("patches deadline, time to live, backoff and the Job's annotations without touching a pod", async () => {
        const pods = await cluster.podUids();
        cluster.set({
            activeDeadlineSeconds: 3600,
            ttlSecondsAfterFinished: 60,
            backoffLimit: 7,
            jobAnnotations: { "example.com/team": "physics" },
        });
        const { changes, text } = await cluster.preview();
        // The status takes note that the Job may be removed by its time to live.
        assert.deepEqual(changes, { "held-job": "update", "held-status": "update" });
        assert.match(text, /activeDeadlineSeconds: 3600/);
        assert.match(text, /example\.com\/team: "physics"/);
        await cluster.stack.up();
        const { metadata, spec } = await cluster.job();
        assert.equal(spec?.activeDeadlineSeconds, 3600);
        assert.equal(spec.ttlSecondsAfterFinished, 60);
        assert.equal(spec.backoffLimit, 7);
        assert.equal(metadata?.annotations?.["example.com/team"], "physics");
        assert.deepEqual(await cluster.podUids(), pods);
    });

    it("takes back what is no longer asked for", async () => {
        cluster.set({
            activeDeadlineSeconds: undefined,
            ttlSecondsAfterFinished: undefined,
            backoffLimit: undefined,
            jobAnnotations: undefined,
        });
        await cluster.stack.up();
        const { metadata, spec } = await cluster.job();
        assert.equal(spec?.activeDeadlineSeconds, undefined);
        assert.equal(spec?.ttlSecondsAfterFinished, undefined);
        assert.equal(metadata?.annotations?.["example.com/team"], undefined);
        assert.equal(metadata?.uid, uid);
        await cluster.assertUnchanged();
    });

    it("takes new timeouts into the state only", async () => {
        const { resourceVersion } = (await cluster.job()).metadata ?? {};
        cluster.set({ timeouts: { ready: 600 } });
        const { events } = await cluster.stack.up();
        assert.deepEqual(changes(events), { "held-status": "update" });
        assert.equal((await cluster.job()).metadata?.resourceVersion, resourceVersion);
    });

    it("can be destroyed while it is suspended", async () => {
        cluster.set({ suspend: true });
        await cluster.stack.up();
        await cluster.stack.destroy();
        await namespace.assertNothingLeft();
    });
});
