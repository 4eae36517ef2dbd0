import assert from "node:assert/strict";

import { WaitFor } from "flux-minicluster";

import { ChangingCluster } from "../support/changing";
import { useNamespace } from "../support/namespace";
import { until } from "../support/until";

/** The changes that Kueue makes to a Job when it admits the Job. */
const admission = {
    spec: {
        suspend: false,
        template: {
            metadata: {
                labels: { "kueue.x-k8s.io/podset": "main" },
                annotations: { "kueue.x-k8s.io/workload": "job-queued" },
            },
            spec: {
                nodeSelector: { "kubernetes.io/os": "linux" },
                tolerations: [{ key: "flavor", operator: "Exists", effect: "NoSchedule" }],
            },
        },
    },
};

describe("MiniCluster in a queue", () => {
    const namespace = useNamespace();
    let cluster: ChangingCluster;

    before(() => {
        cluster = new ChangingCluster(namespace, "queued", { size: 2, queueName: "physics" });
    });

    it("waits until the queue admits it", async () => {
        const up = cluster.stack.up();
        const job = await until("the Job exists", () => cluster.job().catch(() => undefined));
        assert.equal(job.spec?.suspend, true);
        assert.equal(job.metadata?.labels?.["kueue.x-k8s.io/queue-name"], "physics");
        await until("the update says that it waits", async () =>
            /waits in its queue/.test(cluster.stack.printed) ? true : undefined,
        );
        await cluster.patchJob(admission);
        assert.equal((await up).outputs.cluster.phase, "ready");
    });

    it("shows no drift for the queue's changes", async () => {
        await cluster.stack.unchanged();
    });

    it("keeps the queue's changes when an update patches an annotation", async () => {
        cluster.set({ annotations: { note: "changed" } });
        const pods = await cluster.podUids();
        await cluster.stack.up();
        const { spec } = await cluster.job();
        assert.equal(spec?.suspend, false);
        assert.equal(spec?.template.spec?.nodeSelector?.["kubernetes.io/os"], "linux");
        assert.deepEqual(await cluster.podUids(), pods);
    });

    it("leaves a Job that the queue suspends to the queue, and waits again in the next update", async () => {
        await cluster.patchJob({ spec: { suspend: true } });
        await until("the pods are removed", async () => ((await cluster.podUids()).length === 0 ? true : undefined));
        await cluster.stack.up(true);
        await cluster.stack.refresh();
        const { changes } = await cluster.preview();
        assert.deepEqual(changes, { "queued-status": "update" });
        const from = cluster.stack.printed.length;
        const up = cluster.stack.up();
        await until("the update waits again", async () =>
            /waits in its queue/.test(cluster.stack.printed.slice(from)) ? true : undefined,
        );
        await cluster.patchJob({ spec: { suspend: false } });
        assert.equal((await up).outputs.cluster.phase, "ready");
    });
});

describe("MiniCluster in a queue with waitFor none", () => {
    const namespace = useNamespace();

    it("is queued without changes until its admission, and ready afterwards", async () => {
        const cluster = new ChangingCluster(namespace, "patient", {
            size: 2,
            queueName: "physics",
            waitFor: WaitFor.None,
        });
        assert.equal((await cluster.stack.up()).outputs.cluster.phase, "queued");
        await cluster.stack.unchanged();
        await cluster.patchJob(admission);
        await until("the ranks are ready", async () => ((await cluster.job()).status?.ready === 2 ? true : undefined));
        await cluster.stack.refresh();
        assert.equal((await cluster.stack.up(true)).outputs.cluster.phase, "ready");
        await cluster.stack.destroy();
        await namespace.assertNothingLeft();
    });
});
