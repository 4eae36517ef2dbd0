import assert from "node:assert/strict";

import { GuardedCluster } from "./support/guardedCluster";
import { useNamespace } from "./support/namespace";
import { until } from "./support/until";

describe("MiniCluster with a disruption budget", function () {
    this.timeout(300_000);
    const namespace = useNamespace();
    let cluster: GuardedCluster;
    let job: string;

    before(async () => {
        cluster = new GuardedCluster(namespace, "kept", { size: 3, disruptionBudget: true });
        await cluster.stack.up();
    });

    it("refuses evictions of ranks with jobs and of the lead, and no others", async () => {
        await cluster.untilCovered("none");
        job = await cluster.occupy(1);
        await cluster.untilCovered(0, 1);
        const codes = [await cluster.evict(0), await cluster.evict(1), await cluster.evict(2)];
        assert.deepEqual(codes, [429, 429, 201]);
    });

    it("starts no job on a rank that minicluster drain has drained, until its next pod has joined", async () => {
        assert.equal(
            await cluster.command("drain", "1"),
            "rank 1 is drained (the pod leaves for maintenance), and runs jobs\n",
        );
        await cluster.command("drain", "1", "--undo");
        assert.ok(!(await cluster.drained()).includes("1"));
        await cluster.command("drain", "1");
        await cluster.flux("cancel", job);
        await cluster.replace(1, 10);
        await until("all ranks are undrained", async () => (await cluster.drained()).length === 0 || undefined);
    });

    it("is as it was for Pulumi", async () => {
        const last = await cluster.occupy(1);
        await cluster.untilCovered(0, 1);
        await cluster.assertUnchanged();
        cluster.set({ annotations: { note: "changed" } });
        await cluster.stack.up();
        assert.deepEqual(await cluster.covered(), ["0", "1"]);
        await cluster.flux("cancel", last);
    });

    it("gives the pods the right to patch that one object, and leaves nothing", async () => {
        const { rules } = await namespace.kube.rbac.readNamespacedRole({
            name: "kept-budget",
            namespace: namespace.name,
        });
        const own = {
            apiGroups: ["policy"],
            resources: ["poddisruptionbudgets"],
            resourceNames: ["kept"],
            verbs: ["patch"],
        };
        assert.deepEqual(JSON.parse(JSON.stringify(rules)), [own]);
        await cluster.stack.destroy();
        await namespace.assertNothingLeft();
    });
});
