import assert from "node:assert/strict";

import { GuardedCluster } from "../../e2e/support/guardedCluster";
import { isReady } from "../../e2e/support/kube";
import { useNamespace } from "../../e2e/support/namespace";
import { SecondCluster } from "../../e2e/support/secondCluster";
import { startKubernetes } from "../../e2e/support/secondKubernetes";
import { until } from "../../e2e/support/until";

/** Seconds after which an autoscaler has a new node. */
const NODE_AFTER = 30;

describe("nodes that come later", function () {
    this.timeout(600_000);
    const kubernetes = new SecondCluster();
    const namespace = useNamespace({ world: () => startKubernetes(kubernetes, { NODES: "3" }) });
    after(() => kubernetes.remove());

    it("lets a cluster that sizes itself wait for a node, use it, and leave it", async () => {
        const cluster = new GuardedCluster(namespace, "later", {
            maxSize: 4,
            placement: "exclusive",
            cores: 1,
            elastic: { cooldown: 5 },
        });
        await cluster.stack.up();
        const job = await cluster.flux("submit", "-N4", "hostname");
        const begun = Date.now();
        const ready = async () => (await namespace.pods("later")).filter(isReady).length === 3 || undefined;
        await until("three ranks have joined", ready, 120);
        const doctor = await cluster.command("doctor").catch(({ stdout }: { stdout: string }) => stdout);
        assert.match(doctor, /later-\d-\w+ can't be scheduled: [^]*cure: /);
        assert.match(await cluster.command("status"), /needs 4 of 4 ranks[^]*\n\d +unschedulable/);
        // An autoscaler needs this time, whatever happens meanwhile.
        await new Promise((resolve) => setTimeout(resolve, begun + NODE_AFTER * 1000 - Date.now()));
        const node = await kubernetes.nodes("add");
        const ran = async () => (await cluster.flux("jobs", "--no-header", "--format={result}", job)) === "COMPLETED";
        await until("the job has run", async () => (await ran()) || undefined, 120);
        console.log(`      the job has run ${Math.round((Date.now() - begun) / 1000)} s after its submission`);
        const left = async () => (await namespace.pods("later")).length === 1 || undefined;
        await until("the idle ranks have left", left, 120);
        assert.notEqual((await namespace.pods("later"))[0]?.spec?.nodeName, node);
        await cluster.stack.destroy();
        await kubernetes.nodes("remove", node);
    });
});
