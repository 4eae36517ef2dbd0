import assert from "node:assert/strict";

import { ChangingCluster } from "../support/changing";
import { useNamespace } from "../support/namespace";

describe("Kubernetes Events on the Job", () => {
    const namespace = useNamespace();

    // docs/rbac.yaml leaves this right out, for Events are not needed.
    before(async () => {
        const { rbac } = namespace.kube;
        const here = { namespace: namespace.name };
        const rules = [{ apiGroups: [""], resources: ["events"], verbs: ["create"] }];
        await rbac.createNamespacedRole({ ...here, body: { metadata: { name: "events" }, rules } });
        const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "events" };
        const subjects = [{ kind: "ServiceAccount", name: "pulumi", namespace: namespace.name }];
        await rbac.createNamespacedRoleBinding({ ...here, body: { metadata: { name: "events" }, roleRef, subjects } });
    });

    it("tell when it is ready and when it was resized, and nothing else", async () => {
        const cluster = new ChangingCluster(namespace, "tells", { size: 1, maxSize: 2 });
        await cluster.stack.up();
        assert.deepEqual(await events("tells"), ["Normal Ready: 1 rank is in"]);
        cluster.set({ jobAnnotations: { note: "changed" }, timeouts: { ready: 600 } });
        await cluster.stack.up();
        await cluster.stack.refresh();
        await cluster.stack.up(true);
        assert.equal((await events("tells")).length, 1);
        for (const size of [2, 1, 2]) {
            cluster.set({ size });
            await cluster.stack.up();
        }
        assert.deepEqual(await events("tells"), [
            "Normal Ready: 1 rank is in",
            "Normal Resized: from 1 to 2 ranks",
            "Normal Resized: from 2 to 1 ranks",
            "Normal Resized: from 1 to 2 ranks",
        ]);
    });

    it("tell once that it failed, however often the update is tried", async () => {
        const cluster = new ChangingCluster(namespace, "fails", { command: ["false"], rerunFailed: false });
        await cluster.stack.fails("up");
        await cluster.stack.fails("up");
        const [event, ...others] = await events("fails");
        assert.match(event, /^Warning Failed: BackoffLimitExceeded/);
        assert.deepEqual(others, []);
    });

    async function events(job: string): Promise<string[]> {
        const fieldSelector = `involvedObject.kind=Job,involvedObject.name=${job}`;
        const { items } = await namespace.kube.core.listNamespacedEvent({ namespace: namespace.name, fieldSelector });
        return items
            .filter(({ source }) => source?.component === "flux-minicluster")
            .sort((a, b) => Number(a.metadata.resourceVersion) - Number(b.metadata.resourceVersion))
            .map(({ message, reason, type }) => `${type} ${reason}: ${message}`);
    }
});
