import assert from "node:assert/strict";

import type { JobStatusInputs, JobStatusOutputs, Phase } from "../../../../provider/jobStatus/properties";
import { rememberCreation } from "../../../../provider/observe/creation";
import { jobStatus } from "../../../../provider/jobStatus/verbs";
import { useApi } from "../../support/fakeApi";
import { makeStatusInputs } from "../../support/states";

const LEAD = { name: "lammps-lead", uid: "service-uid", address: "10.0.0.1" };

describe("jobStatus in a cluster without its Job", () => {
    const api = useApi();

    const { log } = console;

    beforeEach(() => {
        // Without an engine, progress goes to standard output.
        console.log = () => undefined;
    });

    afterEach(() => {
        console.log = log;
    });

    const inputsOf = (overrides: Partial<JobStatusInputs> = {}): JobStatusInputs =>
        JSON.parse(JSON.stringify(makeStatusInputs({ kubeconfig: api.kubeconfig, lead: LEAD, ...overrides })));
    const outputsOf = (phase: Phase, overrides: Partial<JobStatusInputs> = {}): JobStatusOutputs => {
        const recorded = {
            exitCode: null,
            output: "step 1\n",
            nodes: { 0: "a" },
            timings: {},
            slowest: "",
            progress: "",
        };
        return { ...inputsOf(overrides), ...recorded, phase, schemaVersion: 1 };
    };
    const expiring = { ephemeral: true, expires: true } as const;
    const putLead = (uid: string) => api.put("services", { metadata: { name: "lammps-lead", uid } });

    const others: [string, () => void][] = [
        ["no lead Service", () => undefined],
        ["the lead Service of another cluster", () => void putLead("other")],
    ];
    const phases: [Phase, Partial<JobStatusInputs>][] = [
        ["running", expiring],
        ["ready", {}],
    ];
    for (const [what, put] of others) {
        for (const [phase, overrides] of phases) {
            it(`is still ${phase} after a refresh if that cluster has ${what}`, async () => {
                put();
                const before = outputsOf(phase, overrides);
                assert.deepEqual((await jobStatus.read("hpc/lammps", before)).props, before);
            });
        }

        it(`is still running after a refresh that finds another Job of its name, if there is ${what}`, async () => {
            put();
            api.put("jobs", { metadata: { name: "lammps", uid: "another" }, spec: {}, status: {} });
            const before = outputsOf("running", expiring);
            assert.deepEqual((await jobStatus.read("hpc/lammps", before)).props, before);
        });

        it(`refuses to wait if that cluster has ${what}, and keeps the record`, async () => {
            put();
            const before = outputsOf("running", expiring);
            const waiting = jobStatus.update("hpc/lammps", before, inputsOf({ ...expiring, size: 2 }));
            const error = await waiting.then(
                () => assert.fail("the wait did not fail"),
                (failure: Error & { properties: JobStatusOutputs }) => failure,
            );
            const { server } = JSON.parse(api.kubeconfig).clusters[0].cluster;
            assert.equal(
                error.message,
                `lammps: Neither Job hpc/lammps nor its Service lammps-lead is in the cluster at ${server}. ` +
                    "Give MiniCluster the kubeconfig and the context of the cluster that has them.",
            );
            assert.deepEqual([error.properties.phase, error.properties.output], ["unknown", "step 1\n"]);
        });
    }

    it("is gone or expired after a refresh if that cluster has its lead Service", async () => {
        putLead("service-uid");
        const expired = await jobStatus.read("hpc/lammps", outputsOf("running", expiring));
        const gone = await jobStatus.read("hpc/lammps", outputsOf("ready"));
        assert.deepEqual([expired.props?.phase, gone.props?.phase], ["expired", "gone"]);
    });

    it("is deleted, and hasn't expired, if its record is lost and the state of its Job has a creation within its TTL", async () => {
        putLead("service-uid");
        const ttl = { ephemeral: true, expires: 60, job: "hpc/lammps/new-uid", waitFor: "ready" } as const;
        rememberCreation("new-uid", new Date().toISOString());
        await assert.rejects(
            jobStatus.create(inputsOf(ttl)),
            /The Job was deleted by another client\. Run pulumi refresh/,
        );
        const { outs } = await jobStatus.create(inputsOf({ ...ttl, job: "hpc/lammps/old-uid" }));
        assert.equal(outs.phase, "expired");
    });

    it("fails to refresh without the right to read the Service", async () => {
        api.fail(/services\/lammps-lead/, 403, { message: "cannot get services", times: 9 });
        await assert.rejects(jobStatus.read("hpc/lammps", outputsOf("ready")), {
            message: "Job hpc/lammps can't be read: cannot get services",
        });
    });
});
