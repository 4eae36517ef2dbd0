import assert from "node:assert/strict";

import { connect } from "../../../../../provider/kubernetes/client";
import { watchQueue } from "../../../../../provider/judge/queue/watch";
import { useApi } from "../../../support/fakeApi";

describe("watchQueue", () => {
    const api = useApi();
    let stop: AbortController;
    let reasons: (string | undefined)[];

    beforeEach(() => {
        stop = new AbortController();
        reasons = [];
    });

    afterEach(() => {
        stop.abort();
    });

    function putWorkload(status: "False" | "True", message: string, uid = "job-uid"): void {
        const labels = { "kueue.x-k8s.io/job-uid": uid };
        const condition = { type: "QuotaReserved", status, reason: "Inadmissible", message };
        api.put("workloads", { metadata: { name: `job-lammps-${uid}`, labels }, status: { conditions: [condition] } });
    }

    const watching = () => api.seen(/workloads\?.*watch=true/);

    /** Watches until so many reasons have come. */
    function watchFor(count: number): Promise<void> {
        const report = (reason: string | undefined) => {
            reasons.push(reason);
            if (reasons.length === count) {
                stop.abort();
            }
        };
        return watchQueue(
            connect({ kubeconfig: api.kubeconfig }),
            { namespace: "hpc", uid: "job-uid" },
            report,
            stop.signal,
        );
    }

    it("reports in Kueue's words why a Job waits, and that it no longer waits", async () => {
        putWorkload("False", "LocalQueue physics doesn't exist");
        putWorkload("False", "of another Job", "other-uid");
        const watched = watchFor(3);
        await watching();
        putWorkload("False", "insufficient unused quota for cpu");
        putWorkload("True", "Quota reserved in ClusterQueue all");
        await watched;
        assert.deepEqual(reasons, ["LocalQueue physics doesn't exist", "insufficient unused quota for cpu", undefined]);
        assert.match(api.requests[0], /^GET \/apis\/kueue\.x-k8s\.io\/v1beta2\/namespaces\/hpc\/workloads\?/);
    });

    it("uses Kueue's earlier API if there is no later one", async () => {
        api.fail(/v1beta2/, 404, { times: 9 });
        putWorkload("False", "LocalQueue physics doesn't exist");
        await watchFor(1);
        assert.deepEqual(reasons, ["LocalQueue physics doesn't exist"]);
        assert.deepEqual(api.requests.map((request) => /v1beta\d/.exec(request)?.[0]).slice(0, 2), [
            "v1beta2",
            "v1beta1",
        ]);
    });

    for (const [what, code] of [
        ["Kueue", 404],
        ["the right to read Workloads", 403],
    ] as const) {
        it(`ends silently without ${what}`, async () => {
            api.fail(/workloads/, code, { times: 9 });
            await watchFor(1);
            assert.deepEqual(reasons, []);
        });
    }
});
