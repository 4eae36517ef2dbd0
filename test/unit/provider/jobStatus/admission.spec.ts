import assert from "node:assert/strict";

import type { V1Pod } from "@kubernetes/client-node";

import { waitForJob } from "../../../../provider/jobStatus/wait";
import { connect } from "../../../../provider/kubernetes/client";
import { useApi } from "../../support/fakeApi";
import { makePod, makeStatusInputs } from "../../support/states";

/** How the API server changes the pods: it doubles the LimitRange of a namespace. */
const GIVEN = { limits: { cpu: "500m" }, requests: { cpu: "100m" } };
const SAID = "LimitRanger plugin set: cpu request for container flux; cpu limit for container flux";

const TOLD =
    "admission has changed the pods: the LimitRange of namespace hpc gave limits.cpu 500m and requests.cpu 100m to the " +
    "container flux";

describe("a wait for pods that admission has changed", () => {
    const api = useApi();
    let lines: [string, boolean | undefined][];

    beforeEach(() => {
        lines = [];
        putJob();
    });
    function putJob(status: object = {}): void {
        const template = { spec: { containers: [{ name: "flux", image: "flux:1" }] } };
        const creationTimestamp = new Date().toISOString();
        api.put("jobs", {
            metadata: { name: "lammps", namespace: "hpc", uid: "job-uid", creationTimestamp },
            spec: { parallelism: 2, template },
            status: { startTime: creationTimestamp, ...status },
        });
    }

    function putPod(rank: number, ready: boolean, exitCode?: number): void {
        const at = new Date();
        const state = exitCode === undefined ? { running: { startedAt: at } } : { terminated: { exitCode } };
        const pod: V1Pod = makePod(
            rank,
            {
                phase: "Running",
                conditions: [{ type: "Ready", status: ready ? "True" : "False", lastTransitionTime: at }],
                containerStatuses: [{ name: "flux", image: "", imageID: "", ready, restartCount: 0, state }],
            },
            { annotations: { "kubernetes.io/limit-ranger": SAID } },
        );
        const containers = [{ name: "flux", image: "flux:1", resources: GIVEN }];
        api.put("pods", JSON.parse(JSON.stringify({ ...pod, spec: { ...pod.spec, containers } })));
    }

    const wait = (overrides: object) =>
        waitForJob(
            connect({ kubeconfig: api.kubeconfig }),
            { name: "lammps", namespace: "hpc", uid: "job-uid" },
            makeStatusInputs({ kubeconfig: api.kubeconfig, size: 2, ...overrides }),
            {
                report: (line, isWarning) => void lines.push([line, isWarning]),
                cancel: new AbortController().signal,
            },
        );
    const told = () => lines.filter(([line]) => line.startsWith("admission"));

    it("warns once when the cluster is ready, without a request for it", async () => {
        const waiting = wait({});
        await api.watchedByWait();
        const before = api.requests.length;
        putPod(1, true);
        putPod(0, false);
        putPod(0, true);
        assert.equal((await waiting).last.phase, "ready");
        assert.deepEqual(told(), [[TOLD, true]]);
        assert.equal(api.requests.length, before);
    });

    it("warns when the command starts, not at its end", async () => {
        const waiting = wait({ ephemeral: true, waitFor: "completed" });
        await api.watchedByWait();
        putPod(0, true);
        while (told().length === 0) {
            await new Promise((resolve) => setTimeout(resolve, 1));
        }
        putPod(0, true);
        putPod(0, false, 0);
        await waiting;
        assert.deepEqual(told(), [[TOLD, true]]);
    });

    it("warns at the end of a command that was never seen to run", async () => {
        putPod(0, false, 137);
        putJob({ conditions: [{ type: "Failed", status: "True", reason: "BackoffLimitExceeded" }] });
        assert.equal((await wait({ ephemeral: true, waitFor: "completed" })).last.outcome, "failed");
        assert.deepEqual(told(), [[TOLD, true]]);
    });
});
