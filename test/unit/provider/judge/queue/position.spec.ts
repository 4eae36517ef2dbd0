import assert from "node:assert/strict";

import { connect } from "../../../../../provider/kubernetes/client";
import { placeOf } from "../../../../../provider/judge/queue/position";
import { useApi } from "../../../support/fakeApi";

const PENDING = "/apis/visibility.kueue.x-k8s.io/v1beta2/namespaces/hpc/localqueues/team-a/pendingworkloads";

describe("placeOf", () => {
    const api = useApi();
    const place = () =>
        placeOf(connect({ kubeconfig: api.kubeconfig }), "hpc", {
            metadata: { name: "job-lammps-1" },
            spec: { queueName: "team-a" },
        });
    const pending = (...names: string[]) => {
        const items = names.map((name) => ({ metadata: { name } }));
        api.put("localqueues", { metadata: { name: "team-a" }, items });
    };

    it("is the position among all that wait in the LocalQueue", async () => {
        pending("job-other", "job-lammps-1", "job-last");
        assert.deepEqual(await place(), { queue: "team-a", waiting: 3, position: 2 });
        assert.deepEqual(api.requests, [`GET ${PENDING}?limit=1000`]);
    });

    for (const code of [403, 404, 503]) {
        it(`is only the number of waiting Jobs if the visibility API answers ${code}`, async () => {
            api.fail(/pendingworkloads/, code, { times: 9 });
            api.put("localqueues", { metadata: { name: "team-a" }, status: { pendingWorkloads: 4 } });
            assert.deepEqual(await place(), { queue: "team-a", waiting: 4 });
        });
    }

    it("is unknown without both rights", async () => {
        api.fail(/localqueues/, 403, { times: 9 });
        assert.equal(await place(), undefined);
    });
});
