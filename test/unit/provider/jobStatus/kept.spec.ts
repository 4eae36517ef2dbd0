import assert from "node:assert/strict";

import type { JobStatusInputs, JobStatusOutputs, Phase } from "../../../../provider/jobStatus/properties";
import { jobStatus } from "../../../../provider/jobStatus/verbs";
import { type FakeApi, putLeadService, useApi } from "../../support/fakeApi";
import { makeStatusInputs, TIMEOUTS } from "../../support/states";

/** Ways in which a wait sees nothing of its Job. */
const BLIND: readonly [string, (api: FakeApi) => void][] = [
    ["forbidden", (api) => api.fail(/\/pods\?/, 403, { message: "pods is forbidden", times: 99 })],
    ["unauthorized", (api) => api.fail(/\?/, 401, { message: "Unauthorized", times: 99 })],
    ["without an answer", (api) => api.fail(/\?/, 503, { message: "etcd is not ready", times: 999 })],
];

describe("the record of an earlier wait", () => {
    const api = useApi(putLeadService);

    const { log } = console;

    beforeEach(() => {
        // Without an engine, progress goes to standard output.
        console.log = () => undefined;
    });

    afterEach(() => {
        console.log = log;
    });

    const inputsOf = (overrides: Partial<JobStatusInputs> = {}): JobStatusInputs => {
        const timeouts = { ...TIMEOUTS, ready: 0.2 };
        const inputs = { kubeconfig: api.kubeconfig, size: 2, ephemeral: true, waitFor: "ready", timeouts };
        return JSON.parse(JSON.stringify(makeStatusInputs({ ...inputs, ...overrides })));
    };

    const RECORD = {
        output: "done\n",
        nodes: { 0: "a", 1: "b" },
        timings: { ended: 3 },
        slowest: "lammps-1: 2 s",
        progress: "",
    };
    const outputsOf = (phase: Phase, exitCode: number | null): JobStatusOutputs => ({
        ...inputsOf(),
        ...RECORD,
        phase,
        exitCode,
        schemaVersion: 1,
    });

    /** The outputs of an update that waits, also if the wait fails. */
    async function waited(olds: JobStatusOutputs, news: Partial<JobStatusInputs>): Promise<JobStatusOutputs> {
        return jobStatus.update("hpc/lammps", olds, inputsOf(news)).then(
            ({ outs }) => outs,
            ({ properties }: { properties: JobStatusOutputs }) => properties,
        );
    }

    const kept = ({ exitCode, nodes, output, progress, slowest, timings }: JobStatusOutputs) => ({
        exitCode,
        record: { output, nodes, timings, slowest, progress },
    });

    const ends: [Phase, number, Phase][] = [
        ["succeeded", 0, "succeeded"],
        ["failed", 3, "failed"],
    ];
    for (const [how, blind] of BLIND) {
        for (const [phase, exitCode, expected] of ends) {
            it(`stays if the Job has ${phase}, and another wait is ${how}`, async () => {
                blind(api);
                const outs = await waited(outputsOf(phase, exitCode), { waitFor: "completed" });
                assert.deepEqual(kept(outs), { exitCode, record: RECORD });
                assert.equal(outs.phase, expected);
                assert.equal(outs.waitFor, "completed");
            });
        }

        it(`stays without its phase if the cluster runs, and another wait is ${how}`, async () => {
            blind(api);
            const outs = await waited(outputsOf("ready", null), { size: 1 });
            assert.deepEqual(kept(outs), { exitCode: null, record: RECORD });
            assert.equal(outs.phase, "unknown");
            assert.deepEqual(await jobStatus.diff("id", outs, inputsOf({ size: 1 })), { changes: true });
        });
    }

    it("doesn't stay if another Job can't be watched", async () => {
        BLIND[0][1](api);
        const outs = await waited(outputsOf("succeeded", 0), { job: "hpc/lammps/other-uid" });
        assert.deepEqual([outs.phase, outs.exitCode, outs.output, outs.nodes], ["unknown", null, "", {}]);
    });

    describe("of a Job whose pods have been removed since its end", () => {
        beforeEach(() => {
            const conditions = [{ type: "Complete", status: "True" }];
            const metadata = { name: "lammps", uid: "job-uid" };
            api.put("jobs", { metadata, spec: { parallelism: 2 }, status: { conditions } });
        });

        it("stays", async () => {
            const outs = await waited(outputsOf("succeeded", 0), { waitFor: "completed" });
            assert.deepEqual(kept(outs), { exitCode: 0, record: RECORD });
        });

        it("stays without the log if maxBytes is 0 now", async () => {
            const outs = await waited(outputsOf("succeeded", 0), { waitFor: "completed", maxBytes: 0 });
            assert.deepEqual(kept(outs), { exitCode: 0, record: { ...RECORD, output: "" } });
        });

        it("has the results that an interrupted update has fetched, and those whose lead is gone", async () => {
            const keeps = { at: "results/mc", isFetched: true, limit: 1, onFailure: false, ofAllRanks: false };
            const results = { at: "results/mc", files: [], count: 2, bytes: 3, complete: true };
            for (const of of [results, { ...results, at: "", complete: false, reason: "they are large" }]) {
                const outs = await waited({ ...outputsOf("running", null), keeps, results: of }, { keeps });
                assert.deepEqual(outs.results, of);
                const { props } = await jobStatus.read("hpc/lammps", {
                    ...outputsOf("succeeded", 0),
                    keeps,
                    results: of,
                });
                assert.deepEqual(props?.results, of);
            }
        });

        it("is replaced if the end wasn't recorded", async () => {
            const outs = await waited(outputsOf("running", null), { waitFor: "completed" });
            assert.deepEqual([outs.phase, outs.exitCode, outs.output], ["succeeded", null, ""]);
        });
    });
});
