import assert from "node:assert/strict";

import type * as pulumi from "@pulumi/pulumi";

import { ChangingCluster } from "../e2e/support/changing";
import { useNamespace } from "../e2e/support/namespace";
import { until } from "../e2e/support/until";

/* What another client changes otherwise is in test/e2e/dayTwo/drift.spec.ts. */
describe("MiniCluster with size in ignoreChanges", () => {
    const namespace = useNamespace();

    it("keeps another client's size and running jobs when an annotation changes", async () => {
        const cluster = new ChangingCluster(namespace, "kept", { size: 1, maxSize: 3 }, { ignoreChanges: ["size"] });
        await cluster.stack.up();
        await cluster.patchJob({ spec: { completions: 3, parallelism: 3 } });
        await until("all ranks have joined", async () => ((await cluster.nodes()).free === 3 ? true : undefined));
        const [pods, job] = [await cluster.podUids(), await cluster.flux("submit", "-N3", "sleep", "inf")];
        cluster.set({ annotations: { note: "changed" } });
        const { changes } = await cluster.preview();
        assert.deepEqual(changes, { kept: "update", "kept-lead": "update", "kept-job": "update" });
        await cluster.stack.up();
        const { metadata, spec } = await cluster.job();
        assert.equal(metadata?.annotations?.note, "changed");
        assert.deepEqual([spec?.completions, spec?.parallelism], [3, 3]);
        assert.deepEqual(await cluster.podUids(), pods);
        assert.equal(await cluster.flux("jobs", "-no", "{status_abbrev}", job), "R");
        await cluster.assertSettled();

        // No refresh has seen the first resize. A refresh sees this one.
        await cluster.flux("cancel", job);
        await cluster.patchJob({ spec: { completions: 2, parallelism: 2 } });
        await until("a rank has left", async () => ((await cluster.nodes()).down === 1 ? true : undefined));
        await cluster.stack.up(true);
        await cluster.stack.refresh();
        await cluster.stack.up(true);
        cluster.set({ annotations: { note: "changed again" } });
        await cluster.stack.up();
        const after = await cluster.job();
        assert.equal(after.metadata?.annotations?.note, "changed again");
        assert.deepEqual([after.spec?.completions, after.spec?.parallelism], [2, 2]);
        await cluster.stack.destroy();
        await namespace.assertNothingLeft();
    });

    it("keeps another client's size after the update that adds ignoreChanges", async () => {
        const options: pulumi.ComponentResourceOptions = {};
        const cluster = new ChangingCluster(namespace, "later", { size: 1, maxSize: 2 }, options);
        await cluster.stack.up();
        options.ignoreChanges = ["size"];
        const { changes } = await cluster.preview();
        assert.deepEqual(changes, { "later-job": "update", "later-status": "update" });
        await cluster.stack.up();
        assert.equal(cluster.child("job")?.outputs?.sizedBy, "autoscaler");
        assert.equal(cluster.child("status")?.outputs?.sizedBy, "autoscaler");
        await cluster.patchJob({ spec: { completions: 2, parallelism: 2 } });
        await until("the new rank has joined", async () => ((await cluster.nodes()).free === 2 ? true : undefined));
        await cluster.stack.refresh();
        await cluster.stack.up(true);
        assert.equal((await cluster.job()).spec?.parallelism, 2);
    });
});

describe("busy MiniCluster", () => {
    const namespace = useNamespace();

    it("shows no changes after 100 jobs and a replaced pod", async () => {
        const cluster = new ChangingCluster(namespace, "busy", { size: 2 });
        await cluster.stack.up();
        await cluster.flux("submit", "--cc=1-100", "--quiet", "true");
        await cluster.flux("queue", "drain");
        const [, follower] = await namespace.pods("busy");
        await namespace.kube.core.deleteNamespacedPod({
            name: follower.metadata?.name ?? "",
            namespace: namespace.name,
        });
        await until("both ranks run a job", () => cluster.flux("run", "-N2", "hostname").catch(() => undefined));
        assert.notEqual((await cluster.podUids())[1], follower.metadata?.uid);
        await cluster.stack.unchanged();
    });
});
