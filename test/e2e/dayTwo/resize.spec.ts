import assert from "node:assert/strict";

import { ChangingCluster } from "../support/changing";
import { eventsOn } from "../support/events";
import { useNamespace } from "../support/namespace";
import { grant } from "../support/rights";
import { until } from "../support/until";

describe("MiniCluster resized within maxSize", () => {
    const namespace = useNamespace();
    let cluster: ChangingCluster;
    let job: string;
    let pods: (string | undefined)[];

    before(async () => {
        await grant(namespace, "events", "create");
        cluster = new ChangingCluster(namespace, "grows", { size: 2, maxSize: 4 });
        await cluster.stack.up();
        pods = await cluster.podUids();
        job = await cluster.flux("submit", "-N2", "sleep", "inf");
    });

    it("writes no Event on its Job for changes that are no resize", async () => {
        assert.deepEqual(await eventsOn(namespace, "grows"), ["Normal Ready: 2 ranks joined"]);
        cluster.set({ annotations: { note: "changed" }, timeouts: { ready: 600 } });
        await cluster.stack.up();
        await cluster.stack.unchanged();
        assert.equal((await eventsOn(namespace, "grows")).length, 1);
    });

    it("shows an update and no replacement in the preview", async () => {
        cluster.set({ size: 3 });
        const { changes, text } = await cluster.preview();
        assert.deepEqual(changes, { "grows-job": "update", "grows-status": "update" });
        assert.match(text, /completions: 2 => 3/);
        assert.match(text, /parallelism: 2 => 3/);
        assert.match(text, /size: 2 => 3/);
    });

    it("keeps its pods and running jobs when a new rank joins", async () => {
        await cluster.stack.up();
        assert.deepEqual((await cluster.podUids()).slice(0, 2), pods);
        assert.equal(await state(job), "R");
        assert.deepEqual(await cluster.nodes(), { allocated: 2, free: 1, down: 1 });
        await cluster.assertSettled();
    });

    it("drains the leaving rank and keeps the other ranks when it shrinks", async () => {
        cluster.set({ size: 2 });
        await cluster.stack.up();
        assert.deepEqual(await cluster.podUids(), pods);
        assert.equal(await state(job), "R");
        assert.match(await cluster.flux("resource", "drain", "-no", "{ranks} {reason}"), /^2 the pod is leaving$/m);
        assert.deepEqual(await cluster.nodes(), { allocated: 2, down: 2 });
    });

    it("runs jobs on a returning rank when it grows again", async () => {
        cluster.set({ size: 4 });
        await cluster.stack.up();
        await until("both new ranks are free", async () => ((await cluster.nodes()).free === 2 ? true : undefined));
        assert.equal(await cluster.flux("resource", "drain", "-no", "{ranks}"), "");
        assert.match(await cluster.flux("run", "-N2", "hostname"), /^grows-[23]\ngrows-[23]$/);
    });

    it("recovers when it loses the lead after it has shrunk", async () => {
        cluster.set({ size: 2 });
        await cluster.stack.up();
        const [lead] = await namespace.pods("grows");
        await namespace.kube.core.deleteNamespacedPod({ name: lead.metadata?.name ?? "", namespace: namespace.name });
        const hosts = await until("both ranks run a job", () =>
            cluster.flux("run", "-N2", "hostname").catch(() => undefined),
        );
        assert.match(hosts, /^grows-[01]\ngrows-[01]$/);
        assert.deepEqual(await cluster.nodes(), { down: 2, free: 2 });
        await cluster.assertUnchanged();
    });

    it("writes one Event on its Job for each resize", async () => {
        assert.deepEqual(await eventsOn(namespace, "grows"), [
            "Normal Ready: 2 ranks joined",
            "Normal Resized: from 2 to 3 ranks",
            "Normal Resized: from 3 to 2 ranks",
            "Normal Resized: from 2 to 4 ranks",
            "Normal Resized: from 4 to 2 ranks",
        ]);
    });

    async function state(id: string): Promise<string> {
        return cluster.flux("jobs", "-no", "{status_abbrev}", id);
    }
});

describe("MiniCluster resized beyond maxSize", () => {
    const namespace = useNamespace();

    it("replaces its Job, and names maxSize in the preview", async () => {
        const cluster = new ChangingCluster(namespace, "fixed", { size: 1 });
        await cluster.stack.up();
        const uid = await cluster.uid();
        cluster.set({ size: 2 });
        const { changes, warnings } = await cluster.preview();
        const { "fixed-job": job, "fixed-status": status } = changes;
        assert.match(job, /replace/);
        assert.equal(status, "update");
        assert.match(warnings.join("\n"), /fixed: maxSize changes from 1 to 2.*so the Job is replaced\. Set maxSize/);
        await cluster.stack.up();
        assert.notEqual(await cluster.uid(), uid);
        assert.deepEqual(await cluster.nodes(), { free: 2 });
    });
});
