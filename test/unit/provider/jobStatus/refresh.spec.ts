import assert from "node:assert/strict";

import { ANNOTATIONS } from "../../../../provider/contract/labels";
import type { JobStatusInputs, JobStatusOutputs, Phase } from "../../../../provider/jobStatus/properties";
import { jobStatus } from "../../../../provider/jobStatus/verbs";
import { putLeadService, useApi } from "../../support/fakeApi";
import { makePod, makeStatusInputs } from "../../support/states";

/**
 * A refresh as the engine makes it: `read`, then `diff` between what it answers and the inputs of the state. The engine
 * reports an update of the resource if `diff` finds changes.
 */
describe("a refresh of jobStatus", () => {
    const api = useApi(putLeadService);
    let resource = 0;

    beforeEach(() => {
        resource++;
    });

    const putJob = (suspend: boolean) => {
        const annotations = suspend ? { [ANNOTATIONS.asleep]: "2026-01-01T00:00:00Z" } : {};
        const metadata = { name: "lammps", uid: "job-uid", annotations };
        api.put("jobs", { metadata, spec: { parallelism: 1, suspend }, status: {} });
    };
    const putLead = (ready: boolean) => {
        const now = new Date();
        const conditions = [{ type: "Ready", status: ready ? "True" : "False", lastTransitionTime: now }];
        const state = { running: { startedAt: now } };
        const container = { name: "flux", image: "", imageID: "", ready, restartCount: 0, state };
        api.put("pods", JSON.parse(JSON.stringify(makePod(0, { conditions, containerStatuses: [container] }))));
    };

    const inputsOf = (overrides: Partial<JobStatusInputs> = {}): JobStatusInputs => {
        const elastic = { sizedBy: "cluster" as const, size: 1, wake: "", resourceUrn: `urn:status-${resource}` };
        return JSON.parse(JSON.stringify(makeStatusInputs({ kubeconfig: api.kubeconfig, ...elastic, ...overrides })));
    };
    const outputsOf = (phase: Phase, overrides: Partial<JobStatusInputs> = {}): JobStatusOutputs => {
        const recorded = { exitCode: null, output: "", nodes: {}, timings: {}, slowest: "", progress: "" };
        return { ...inputsOf(overrides), ...recorded, phase, schemaVersion: 1 };
    };

    async function refresh(state: JobStatusOutputs): Promise<{ changes: boolean; state: JobStatusOutputs }> {
        const { inputs, props } = await jobStatus.read("hpc/lammps", state);
        assert.ok(inputs !== undefined && props !== undefined);
        const { changes } = await jobStatus.diff("hpc/lammps", props, inputs);
        return { changes, state: props };
    }

    it("finds no changes in a cluster that has fallen asleep, also a second time", async () => {
        putJob(true);
        const first = await refresh(outputsOf("ready"));
        const second = await refresh(first.state);
        assert.deepEqual([first.changes, first.state.phase], [false, "asleep"]);
        assert.deepEqual([second.changes, second.state.phase], [false, "asleep"]);
    });

    it("reads an output that an update couldn't read, and keeps the words for it if it still can't", async () => {
        api.put("jobs", {
            metadata: { name: "lammps", uid: "job-uid" },
            spec: { parallelism: 1 },
            status: { conditions: [{ type: "Complete", status: "True" }] },
        });
        const terminated = { exitCode: 0, reason: "Completed", startedAt: new Date(), message: "" };
        const container = {
            name: "flux",
            image: "",
            imageID: "",
            ready: false,
            restartCount: 0,
            state: { terminated },
        };
        const pod = makePod(0, { phase: "Succeeded", conditions: [], containerStatuses: [container] });
        const labels = { ...pod.metadata?.labels, "batch.kubernetes.io/controller-uid": "job-uid" };
        api.put("pods", { ...JSON.parse(JSON.stringify(pod)), metadata: { ...pod.metadata, labels } });
        const ended = { ephemeral: true, waitFor: "completed", sizedBy: undefined } as const;
        const unread = `(the output of ${pod.metadata?.name} can't be read: pods "${pod.metadata?.name}" not found)\n`;
        const first = await refresh({ ...outputsOf("succeeded", ended), output: unread });
        assert.equal(first.state.output, unread);
        api.logs.set(pod.metadata?.name ?? "", "done\n");
        const second = await refresh(first.state);
        assert.deepEqual([second.changes, second.state.output], [false, "done\n"]);
    });

    const woken: [string, (() => void) | undefined, Phase][] = [
        ["whose lead is ready", () => putLead(true), "ready"],
        ["whose lead starts", () => putLead(false), "starting"],
        ["whose lead isn't there yet", undefined, "pending"],
    ];
    for (const [what, put, phase] of woken) {
        it(`records the phase of a cluster that a job has woken, ${what}, and finds no changes`, async () => {
            putJob(false);
            put?.();
            for (const before of ["asleep", "starting"] as const) {
                const { changes, state } = await refresh(outputsOf(before));
                assert.deepEqual([changes, state.phase], [false, phase]);
            }
        });
    }

    it("finds a change in a cluster that another client has suspended", async () => {
        api.put("jobs", { metadata: { name: "lammps", uid: "job-uid" }, spec: { suspend: true }, status: {} });
        const { changes, state } = await refresh(outputsOf("ready"));
        assert.deepEqual([changes, state.phase], [true, "suspended"]);
    });

    it("finds a change in a cluster that starts and doesn't size itself", async () => {
        putJob(false);
        const { changes } = await refresh(outputsOf("starting", { wake: undefined, sizedBy: undefined }));
        assert.equal(changes, true);
    });

    for (const [type, phase] of [
        ["Complete", "succeeded"],
        ["Failed", "failed"],
    ] as const) {
        it(`keeps the end of a Job that is deleted while a refresh reads that it has ${phase}`, async () => {
            const condition = { type, status: "True", lastTransitionTime: new Date() };
            const status = { conditions: [condition] };
            api.put("jobs", { metadata: { name: "lammps", uid: "job-uid" }, spec: { parallelism: 1 }, status });
            api.fail(/\/jobs\?/, 503, { times: 1 });
            const fixed = { ephemeral: true, sizedBy: undefined, wake: undefined };
            const refreshing = refresh(outputsOf("starting", fixed));
            await api.seen(/\/jobs\?/);
            api.remove("jobs", "lammps");
            assert.equal((await refreshing).state.phase, phase);
        });
    }

    it("leaves it to the next update to wait for a cluster that slept or was starting", async () => {
        for (const phase of ["asleep", "starting"] as const) {
            const { inputs } = await jobStatus.check(outputsOf(phase), inputsOf());
            assert.deepEqual(await jobStatus.diff("hpc/lammps", outputsOf(phase), inputs), { changes: true });
        }
    });
});
