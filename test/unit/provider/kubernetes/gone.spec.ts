import assert from "node:assert/strict";

import { connect } from "../../../../provider/kubernetes/client";
import { awaitGone } from "../../../../provider/kubernetes/failures/gone";
import { useApi } from "../../support/fakeApi";

describe("awaitGone", () => {
    const api = useApi();

    it("waits even with a timeout that is longer than a timer can be", async () => {
        api.put("jobs", { metadata: { name: "lammps", uid: "job-uid" } });
        const job = { namespace: "hpc", name: "lammps", uid: "job-uid" };
        const limits = { timeoutSeconds: 30 * 86_400, interrupted: new AbortController().signal };
        const waiting = awaitGone(connect({ kubeconfig: api.kubeconfig }), "jobs", job, limits);
        await Promise.race([waiting, api.seen(/watch=true/)]);
        api.remove("jobs", "lammps");
        await waiting;
    });

    it("tells that the object has changed, but not that it is there", async () => {
        const metadata = { name: "lammps", uid: "job-uid" };
        api.put("jobs", { metadata });
        let changes = 0;
        const limits = { timeoutSeconds: 300, interrupted: new AbortController().signal, changed: () => changes++ };
        const job = { ...metadata, namespace: "hpc" };
        const waiting = awaitGone(connect({ kubeconfig: api.kubeconfig }), "jobs", job, limits);
        await Promise.race([waiting, api.seen(/watch=true/)]);
        api.put("jobs", { metadata, status: { active: 1 } });
        api.remove("jobs", "lammps");
        await waiting;
        assert.equal(changes, 1);
    });

    describe("in an update that the user interrupts", () => {
        for (const [kind, what] of [
            ["jobs", "Job"],
            ["pods", "Pod"],
        ] as const) {
            it(`ends at once, and says that the ${what} still exists`, async () => {
                api.put(kind, { metadata: { name: "lammps", uid: "its-uid" } });
                const object = { namespace: "hpc", name: "lammps", uid: "its-uid" };
                const update = new AbortController();
                const limits = { timeoutSeconds: 300, interrupted: update.signal };
                const waiting = awaitGone(connect({ kubeconfig: api.kubeconfig }), kind, object, limits);
                await Promise.race([waiting, api.seen(/watch=true/)]);
                update.abort(new Error("the update was cancelled"));
                await assert.rejects(waiting, {
                    message:
                        `${what} hpc/lammps is being deleted and still exists: the update was cancelled. ` +
                        "Run the command again; it goes on.",
                });
                await api.watchesClosed();
            });
        }
    });
});
