import { connect } from "../../../../provider/kube/client";
import { awaitGone } from "../../../../provider/kube/gone";
import { FakeApi } from "../../support/fakeApi";

describe("awaitGone", () => {
    let api: FakeApi;

    beforeEach(async () => {
        api = await FakeApi.start();
    });

    afterEach(() => api.stop());

    it("waits even with a timeout that is longer than a timer can be", async () => {
        api.put("jobs", { metadata: { name: "lammps", uid: "job-uid" } });
        const job = { namespace: "hpc", name: "lammps", uid: "job-uid" };
        const waiting = awaitGone(connect({ kubeconfig: api.kubeconfig }), "jobs", job, 30 * 86_400);
        await Promise.race([waiting, api.seen(/watch=true/)]);
        api.remove("jobs", "lammps");
        await waiting;
    });
});
