import assert from "node:assert/strict";
import { createHash } from "node:crypto";

import { packageVersion } from "../../../../provider/contract/versions";
import type { JobStatusInputs, JobStatusOutputs } from "../../../../provider/jobStatus/properties";
import { jobStatus } from "../../../../provider/jobStatus/verbs";
import { connect } from "../../../../provider/kubernetes/client";
import { rememberNodeTypes, rememberVersion } from "../../../../provider/kubernetes/learnt";
import { putLeadService, useApi } from "../../support/fakeApi";
import { makePod, makeStatusInputs } from "../../support/states";

const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, seconds));
const DIGEST = `registry.example/lammps@sha256:${"5e".repeat(32)}`;

describe("the record of a run", () => {
    const api = useApi(putLeadService);
    const { log } = console;

    beforeEach(() => {
        // Without an engine, progress goes to standard output.
        console.log = () => undefined;
    });

    afterEach(() => {
        console.log = log;
    });

    function putJob(condition: string, more: object = {}): void {
        const env = [
            { name: "MINICLUSTER_MODE", value: "ephemeral" },
            { name: "MINICLUSTER_TASKS", value: "8" },
            { name: "MINICLUSTER_CODE", value: "c0de" },
            { name: "MINICLUSTER_RUN_OPTIONS", value: "-N2\n-n8" },
            { name: "FLUX_URI", value: "local:///run/flux/local" },
            { name: "MASS", value: "hunter2" },
            { name: "CHARGE", valueFrom: { secretKeyRef: { name: "s", key: "k" } } },
        ];
        const resources = { limits: { cpu: "4" } };
        const container = {
            name: "flux",
            image: "registry.example/lammps:2",
            args: ["lmp", "-in", "$$(x)"],
            env,
            resources,
        };
        const conditions = [{ type: condition, status: "True", lastTransitionTime: at(30), ...more }];
        api.put("jobs", {
            metadata: { name: "lammps", namespace: "hpc", uid: "job-uid", creationTimestamp: at(0) },
            spec: { parallelism: 2, template: { spec: { containers: [container] } } },
            status: { startTime: at(1), conditions },
        });
    }

    function putPod(rank: number, state: object, phase: string): void {
        const conditions = [{ type: "PodScheduled", status: "True", lastTransitionTime: at(2) }];
        const container = { name: "flux", image: "", imageID: DIGEST, ready: false, restartCount: 0, state };
        const pod = makePod(rank, { phase, conditions, containerStatuses: [container] });
        const labels = { ...pod.metadata?.labels, "batch.kubernetes.io/controller-uid": "job-uid" };
        api.put("pods", {
            ...JSON.parse(JSON.stringify(pod)),
            metadata: { ...pod.metadata, labels, creationTimestamp: at(1) },
        });
    }

    const message = `minicluster.quorum=${at(5).getTime() / 1000}\nminicluster.started=2\nminicluster.ended=3\n`;

    function putRun(exitCode = 0): void {
        putJob(
            exitCode === 0 ? "Complete" : "Failed",
            exitCode === 0 ? {} : { reason: "PodFailurePolicy", message: "failed" },
        );
        const reason = exitCode === 0 ? "Completed" : "Error";
        const terminated = { exitCode, reason, startedAt: at(3), finishedAt: at(29), message };
        putPod(0, { terminated }, exitCode === 0 ? "Succeeded" : "Failed");
        putPod(1, { running: { startedAt: at(4) } }, "Running");
        api.logs.set("lammps-0-abcde", "hello\n");
    }

    const inputsOf = (overrides: Partial<JobStatusInputs> = {}): JobStatusInputs => {
        const ephemeral = { ephemeral: true, waitFor: "completed", size: 2, kubeconfig: api.kubeconfig };
        return JSON.parse(JSON.stringify(makeStatusInputs({ ...ephemeral, ...overrides })));
    };
    const created = async (overrides: Partial<JobStatusInputs> = {}): Promise<JobStatusOutputs> =>
        (await jobStatus.create(inputsOf(overrides))).outs;

    it("has what ran, with what, when, and how it ended", async () => {
        putRun();
        const kube = connect(inputsOf());
        rememberNodeTypes(kube, [
            { metadata: { name: "node-1", labels: { "node.kubernetes.io/instance-type": "c7" } } },
        ]);
        rememberVersion(kube, { major: 1, minor: 34 });
        const { record } = await created();
        const { versions, ...others } = record!;
        assert.deepEqual(versions, { package: packageVersion(), kubernetes: "1.34" });
        assert.deepEqual(others, {
            schemaVersion: 1,
            name: "lammps",
            namespace: "hpc",
            uid: "job-uid",
            phase: "succeeded",
            exitCode: 0,
            failures: [],
            image: "registry.example/lammps:2",
            digests: [{ image: DIGEST, ranks: "0-1" }],
            command: ["lmp", "-in", "$(x)"],
            code: "c0de",
            environment: ["CHARGE", "MASS"],
            size: 2,
            runOptions: ["-N2", "-n8"],
            settings: { mode: "ephemeral", tasks: "8", limits: "cpu 4" },
            createdAt: at(0).toISOString(),
            startedAt: at(1).toISOString(),
            endedAt: at(30).toISOString(),
            ranks: [
                {
                    rank: 0,
                    pod: "lammps-0-abcde",
                    node: "node-0",
                    created: 1,
                    scheduled: 2,
                    started: 3,
                    joined: 5,
                    ended: 29,
                    exitCode: 0,
                },
                {
                    rank: 1,
                    pod: "lammps-1-abcde",
                    node: "node-1",
                    nodeType: "c7",
                    created: 1,
                    scheduled: 2,
                    started: 4,
                },
            ],
            output: { bytes: 6, sha256: createHash("sha256").update("hello\n").digest("hex") },
            missing: [],
        });
        assert.doesNotMatch(JSON.stringify(record), /hunter2/);
    });

    it("has the results' number, size and hash", async () => {
        putRun();
        const sha256 = "ab".repeat(32);
        api.logs.set("lammps-0-abcde", `hello\nminicluster: results kept 0 2 7 0 ${sha256} \n`);
        const keeps = { at: "data:mc", isFetched: false, limit: 100, onFailure: false, ofAllRanks: false };
        const { record } = await created({ keeps });
        assert.deepEqual(record?.results, { bytes: 7, count: 2, sha256 });
    });

    it("has the failure and the exit code of a run that fails", async () => {
        putRun(3);
        const { properties } = await created().then(
            () => assert.fail("the wait did not fail"),
            (error: { properties: JobStatusOutputs }) => error,
        );
        const { exitCode, failures, phase } = properties.record!;
        assert.deepEqual([phase, exitCode], ["failed", 3]);
        assert.deepEqual(failures, [{ about: "Cluster", message: "The command ended with exit code 3." }]);
    });

    it("hides the command, the environment and the hash of a secret output", async () => {
        putRun();
        const { record } = await created({ secretOutput: true });
        const { command, environment, missing, output, runOptions } = record!;
        assert.deepEqual([command, environment, runOptions, output], [[], [], [], undefined]);
        assert.deepEqual(missing, ["command, environment, runOptions and output: output.secret is true"]);
    });

    it("is null before the end of a command", async () => {
        putRun();
        putJob("None");
        putPod(0, { running: { startedAt: at(3) } }, "Running");
        assert.equal((await created({ waitFor: "none" })).record, null);
    });

    it("is null for a persistent cluster", async () => {
        putRun();
        assert.equal((await created({ ephemeral: false, waitFor: "none" })).record, null);
    });

    it("stays equal in a refresh and in another wait, also after the pods and the Job are gone", async () => {
        putRun();
        const first = await created();
        const refreshed = async (olds: JobStatusOutputs) => (await jobStatus.read("hpc/lammps", olds)).props!;
        assert.deepEqual(await refreshed(first), first);
        api.remove("pods", "lammps-1-abcde");
        const timeouts = { ...first.timeouts, completed: 60 };
        const { outs } = await jobStatus.update("hpc/lammps", first, inputsOf({ triggers: [1], timeouts } as object));
        assert.deepEqual(outs.record, first.record);
        api.remove("jobs", "lammps");
        assert.deepEqual((await refreshed(outs)).record, first.record);
    });

    it("gets the output's hash when a refresh can read it, and keeps the rest", async () => {
        putRun();
        api.fail(/tailLines=2000/, 404, { message: "the log is away" });
        const { record } = await created().then(async (first) => {
            assert.equal(first.record?.output, undefined);
            api.remove("pods", "lammps-1-abcde");
            const { props } = await jobStatus.read("hpc/lammps", first);
            assert.deepEqual(props?.record?.ranks, first.record?.ranks);
            return props!;
        });
        assert.equal(record?.output?.bytes, 6);
    });
});
