import assert from "node:assert/strict";

import { FluxJob } from "flux-minicluster";

import { ChangingCluster } from "../e2e/support/changing";
import { to, useFaultProxy } from "../e2e/support/faultProxy";
import { interruptAt, recover } from "../e2e/support/interruptions";
import { useNamespace } from "../e2e/support/namespace";

/** A cluster with a job. */
class ClusterWithJob extends ChangingCluster {
    trigger = 0;

    protected override program() {
        const { cluster, ...others } = super.program();
        const command = ["sh", "-c", "echo run >> /tmp/runs; wc -l < /tmp/runs"];
        const job = new FluxJob("count", { cluster, command, triggers: [this.trigger] });
        return { cluster, ...others, runs: job.output };
    }
}

for (const [first, second] of [
    ["Pulumi", "fast"],
    ["fast", "Pulumi"],
] as const) {
    describe(`state of a stack that ${first === "fast" ? "the fast host" : "Pulumi's own host"} has written`, function () {
        this.timeout(600_000);
        const namespace = useNamespace();
        const proxy = useFaultProxy(namespace);
        let cluster: ClusterWithJob;
        let uid: string | undefined;

        before(async () => {
            cluster = new ClusterWithJob(namespace, "both", { size: 1, maxSize: 2 });
            await cluster.stack.useHost(first);
            assert.equal((await cluster.stack.up()).outputs["runs"], "1\n");
            await cluster.stack.useHost(second);
            uid = await cluster.uid();
        });

        it("shows the other host no changes", async () => {
            await cluster.assertUnchanged();
        });

        it("lets the other host resize the cluster and run the job again", async () => {
            cluster.set({ size: 2 });
            cluster.trigger++;
            assert.equal((await cluster.stack.up()).outputs["runs"], "2\n");
            assert.equal(await cluster.uid(), uid);
            await cluster.stack.useHost(first);
            await cluster.assertUnchanged();
        });

        it("lets the other host continue an interrupted update", async () => {
            cluster.set({ size: 1 });
            await interruptAt(cluster.stack, "up", proxy().hold(to("PATCH", "jobs/*"), "answer"), "kill -9 of both");
            await cluster.stack.useHost(second);
            const { succeeded, text } = await recover(cluster.stack, "up");
            assert(succeeded, text);
            assert.equal(await cluster.uid(), uid);
            await cluster.assertUnchanged();
        });

        it("lets the other host destroy the cluster", async () => {
            await cluster.stack.useHost(first);
            await cluster.stack.destroy();
            await namespace.assertNothingLeft();
        });
    });
}
