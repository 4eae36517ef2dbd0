import assert from "node:assert/strict";

import { ANNOTATIONS } from "../../../../provider/contract/labels";
import { removeRemains } from "../../../../provider/remains/removal";
import { type Kind, useApi } from "../../support/fakeApi";
import { NONCE } from "../../support/jobs";

describe("removeRemains", () => {
    const api = useApi();

    const kinds: [kind: string, apiVersion: string, Kind][] = [
        ["Service", "v1", "services"],
        ["ServiceAccount", "v1", "serviceaccounts"],
        ["Secret", "v1", "secrets"],
        ["Role", "rbac.authorization.k8s.io/v1", "roles"],
        ["RoleBinding", "rbac.authorization.k8s.io/v1", "rolebindings"],
        ["NetworkPolicy", "networking.k8s.io/v1", "networkpolicies"],
        ["PodDisruptionBudget", "policy/v1", "poddisruptionbudgets"],
        ["Deployment", "apps/v1", "deployments"],
    ];

    const remove = (kind = "Service", apiVersion = "v1") =>
        removeRemains({
            kubeconfig: api.kubeconfig,
            nonce: NONCE,
            object: { apiVersion, kind, namespace: "hpc", name: "lammps" },
            job: "lammps-job",
        });

    const put = (kind: Kind, nonce = NONCE) =>
        api.put(kind, { metadata: { name: "lammps", annotations: { [ANNOTATIONS.nonce]: nonce } } });

    for (const [kind, apiVersion, plural] of kinds) {
        it(`removes a ${kind} that an interrupted creation has left, and waits until it is gone`, async () => {
            put(plural);
            await remove(kind, apiVersion);
            assert.equal(api.get(plural, "lammps"), undefined);
        });
    }

    it("leaves the object of another stack", async () => {
        put("services", "feedfeedfeedfeed");
        await remove();
        assert.ok(api.get("services", "lammps"));
    });

    it("leaves a Service that owns the cluster's Job, which Kubernetes would delete with it", async () => {
        const { metadata } = put("services");
        api.put("jobs", { metadata: { name: "lammps-job", ownerReferences: [{ uid: metadata.uid }] } });
        await remove();
        assert.ok(api.get("services", "lammps"));
    });

    for (const [kind, apiVersion, plural] of [
        ["Secret", "v1", "secrets"],
        ["Deployment", "apps/v1", "deployments"],
    ] as const) {
        it(`leaves the ${kind} of a cluster that the state has lost`, async () => {
            put(plural);
            api.put("jobs", { metadata: { name: "lammps-job" } });
            await remove(kind, apiVersion);
            assert.ok(api.get(plural, "lammps"));
        });
    }

    it("does nothing if there is no object, and for a kind that no MiniCluster has", async () => {
        await remove();
        const before = api.requests.length;
        await remove("Pod");
        assert.equal(api.requests.length, before);
    });
});
