import assert from "node:assert/strict";

import { isSameCluster } from "../../../../provider/kube/sameCluster";
import { connect } from "../../../../provider/kube/client";
import type { LeadService } from "../../../../provider/kube/leadService";
import { FakeApi } from "../../support/fakeApi";

describe("isSameCluster", () => {
    let api: FakeApi;

    beforeEach(async () => {
        api = await FakeApi.start();
    });

    afterEach(() => api.stop());

    const isSame = (uid: string | undefined) => {
        const lead = { name: "lammps-lead", uid, address: "10.0.0.1" } as LeadService;
        const manifest = { apiVersion: "batch/v1", kind: "Job", metadata: { name: "lammps", namespace: "hpc" } };
        return isSameCluster(connect({ kubeconfig: api.kubeconfig }), { lead, manifest });
    };

    it("compares the UIDs of the lead Service", async () => {
        api.put("services", { metadata: { name: "lammps-lead", uid: "service-uid" } });
        assert.equal(await isSame("service-uid"), true);
        assert.equal(await isSame("another"), false);
    });

    it("is false without the Service, even for a lead without a UID", async () => {
        assert.equal(await isSame("service-uid"), false);
        assert.equal(await isSame(undefined), false);
    });
});
