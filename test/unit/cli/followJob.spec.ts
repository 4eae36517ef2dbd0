import assert from "node:assert/strict";

import { follow } from "../../../cli/commands/submit";
import { leadSelector } from "../../../provider/contract/labels";
import { connect } from "../../../provider/kube/client";
import { FakeApi } from "../support/fakeApi";

describe("follow", () => {
    let api: FakeApi;

    beforeEach(async () => {
        api = await FakeApi.start();
    });

    afterEach(() => api.stop());

    it("gives up when rank 0 stays unreachable, and says that the job may go on", async () => {
        api.put("jobs", { metadata: { name: "lammps", uid: "job-uid" }, spec: {} });
        const ready = { type: "Ready", status: "True", lastTransitionTime: new Date().toISOString() };
        api.put("pods", {
            metadata: { name: "lammps-0-x", labels: leadSelector("lammps"), ownerReferences: [{ uid: "job-uid" }] },
            status: { phase: "Running", conditions: [ready] },
        });
        api.fail(/exec/, 500, { times: 99 });
        const target = { kube: connect({ kubeconfig: api.kubeconfig }), namespace: "hpc", name: "lammps" };
        await assert.rejects(follow(target, "f26Zqx", false, 0), {
            message:
                "job f26Zqx can't be followed: a command can't be run in pod lammps-0-x: HTTP status 500. " +
                "It may still run: see minicluster jobs",
        });
    });
});
