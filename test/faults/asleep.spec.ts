import assert from "node:assert/strict";

import { FluxJob } from "flux-minicluster";

import { useNamespace } from "../e2e/support/namespace";
import { SleepingCluster } from "../e2e/support/sleepingCluster";
import { until } from "../e2e/support/until";

/** The hook comes after the Job's suspension. It submits a job if the pod has the file. */
const SUBMITTING = {
    name: "flux",
    lifecycle: {
        preStop: { exec: { command: ["bash", "-c", "[ ! -e /tmp/late ] || flux submit --job-name=late echo late"] } },
    },
};

/* How it falls asleep, and wakes for an update and for the command line, is in test/e2e/elastic.spec.ts. */
describe("MiniCluster that sleeps, and is woken in other ways", function () {
    this.timeout(300_000);
    const namespace = useNamespace();
    let cluster: SleepingCluster;

    before(async () => {
        cluster = new SleepingCluster(namespace, { podTemplate: { spec: { containers: [SUBMITTING] } } });
        await cluster.stack.up();
        await cluster.flux("submit", "--urgency=hold", "--job-name=held", "true");
    });

    it("gets its pod at each wake without a back-off, because Kubernetes counts no sleep as a failure", async () => {
        for (let times = 0; times < 4; times++) {
            const annotations = { "flux-minicluster/asleep": new Date().toISOString() };
            await cluster.patchJob({ metadata: { annotations }, spec: { suspend: true } });
            await cluster.asleep();
            await cluster.command("wake");
            assert.equal((await namespace.pods("sleeps")).length, 1);
            // Kubernetes delays a pod by the failures of the Job: 80 s after four of them.
            assert.equal((await cluster.job()).status?.failed ?? 0, 0);
        }
    });

    it("is woken by a FluxJob", async () => {
        await cluster.asleep();
        const stack = namespace.stack("work", async () => ({
            output: new FluxJob("work", {
                cluster: { name: "sleeps", namespace: namespace.name },
                command: ["echo", "by Pulumi"],
            }).output,
        }));
        assert.equal((await stack.up()).outputs.output, "by Pulumi\n");
    });

    it("is woken by the removal of a FluxJob that may still be in its queue", async () => {
        const stack = namespace.stack("held", async () => {
            const place = { name: "sleeps", namespace: namespace.name };
            new FluxJob("removed", { cluster: place, command: ["true"], urgency: 0, wait: false });
        });
        await stack.up();
        await cluster.asleep();
        await stack.destroy();
        const names = (await cluster.flux("jobs", "-a", "--no-header", "--format={name}")).split("\n");
        assert.deepEqual([names.includes("held"), names.includes("removed")], [true, false]);
    });

    it("is woken by a job that is submitted after the last look", async () => {
        await namespace.exec("sleeps", ["touch", "/tmp/late"]);
        await until("the job has run in another pod", async () => {
            const rows = await cluster
                .flux("jobs", "-a", "--no-header", "--format={name} {result}")
                .catch(() => "unreachable");
            return rows.includes("late COMPLETED") || undefined;
        });
        const { annotations } = (await cluster.job()).metadata ?? {};
        assert.equal(annotations?.["flux-minicluster/asleep"], undefined);
    });
});
