import assert from "node:assert/strict";

import type { V1ContainerState, V1Pod } from "@kubernetes/client-node";

import type { JobStatusInputs, JobStatusOutputs } from "../../../../provider/jobStatus/properties";
import { jobStatus } from "../../../../provider/jobStatus/verbs";
import { waitForJob } from "../../../../provider/jobStatus/wait";
import { connect } from "../../../../provider/kubernetes/client";
import { UNKNOWN } from "../../../../provider/host/unknown";
import { putLeadService, useApi } from "../../support/fakeApi";
import { makePod, makeStatusInputs, TIMEOUTS } from "../../support/states";

const ephemeral = { ephemeral: true, waitFor: "completed", size: 2 };

interface PartialFailure extends Error {
    readonly id: string;
    readonly properties: JobStatusOutputs & { __provider?: string };
    readonly reasons: string[];
}

describe("jobStatus", () => {
    const api = useApi(putLeadService);

    const { log } = console;

    beforeEach(() => {
        // Without an engine, progress goes to standard output.
        console.log = () => undefined;
        putJob();
    });

    afterEach(() => {
        console.log = log;
    });

    const inputsOf = (overrides: Partial<JobStatusInputs> = {}) =>
        makeStatusInputs({ kubeconfig: api.kubeconfig, size: 2, ...overrides });

    function putQueued(status: object = {}): void {
        putJob(status, { suspend: true }, { "kueue.x-k8s.io/queue-name": "physics" });
    }

    function putJob(status: object = {}, spec: object = {}, labels: Record<string, string> = {}): void {
        api.put("jobs", {
            metadata: {
                name: "lammps",
                labels,
                uid: "job-uid",
                creationTimestamp: new Date(Date.now() - 10_000).toISOString(),
            },
            spec: { parallelism: 2, ...spec },
            status: { startTime: new Date(Date.now() - 10_000).toISOString(), ...status },
        });
    }

    function putPod(rank: number, state: V1ContainerState, ready = false, phase = "Running"): void {
        const now = new Date();
        const conditions = [
            { type: "PodScheduled", status: "True", lastTransitionTime: now },
            { type: "Ready", status: ready ? "True" : "False", lastTransitionTime: now },
        ];
        const container = { name: "flux", image: "", imageID: "", ready, restartCount: 0, state };
        const pod: V1Pod = makePod(rank, { phase, conditions, containerStatuses: [container] });
        const labels = { ...pod.metadata?.labels, "batch.kubernetes.io/controller-uid": "job-uid" };
        api.put("pods", { ...JSON.parse(JSON.stringify(pod)), metadata: { ...pod.metadata, labels } });
    }

    /** Marks an earlier pod of the rank as the eviction API does, and removes it. */
    function evict(rank: number): void {
        const mark = { type: "DisruptionTarget", status: "True", message: "Eviction API: evicting" };
        const pod = makePod(
            rank,
            { conditions: [mark] },
            { ...makePod(rank).metadata, name: `lammps-${rank}-old`, uid: "old" },
        );
        const labels = { ...pod.metadata?.labels, "batch.kubernetes.io/controller-uid": "job-uid" };
        api.put("pods", { ...JSON.parse(JSON.stringify(pod)), metadata: { ...pod.metadata, labels } });
        api.remove("pods", `lammps-${rank}-old`);
    }

    const running = { running: { startedAt: new Date() } };
    const ended = (
        exitCode: number,
        message = "minicluster.quorum=1.5\nminicluster.started=2\nminicluster.ended=3\n",
    ) => ({
        terminated: { exitCode, reason: exitCode === 0 ? "Completed" : "Error", startedAt: new Date(), message },
    });

    function putReady(): void {
        putPod(0, running, true);
        putPod(1, running, true);
    }

    /** The partial failure of a wait. */
    async function failureOf(waiting: Promise<unknown>): Promise<PartialFailure> {
        return waiting.then(
            () => assert.fail("the wait did not fail"),
            (error: PartialFailure) => error,
        );
    }

    describe("create", () => {
        it("records what it sees if the goal is reached already", async () => {
            putReady();
            api.logs.set("lammps-0-abcde", "hello\n");
            const { id, outs } = await jobStatus.create(inputsOf());
            assert.equal(id, "hpc/lammps");
            assert.deepEqual(
                [outs.phase, outs.output, outs.nodes, outs.exitCode, outs.schemaVersion],
                ["ready", "hello\n", { 0: "node-0", 1: "node-1" }, null, 1],
            );
            assert.deepEqual(Object.keys(outs.timings), ["scheduled", "started", "quorum"]);
            assert.match(outs.slowest, /^lammps-\d-abcde: /);
        });

        it("returns no undefined values, which the host can't send, and which a preview takes as unknown", async () => {
            putReady();
            const { outs } = await jobStatus.create(inputsOf());
            assert.deepEqual(JSON.parse(JSON.stringify(outs)), outs);
            assert.equal(outs.exitCode, null);
        });

        it("waits until all ranks have joined, whenever that is", async () => {
            putPod(0, running);
            const waiting = jobStatus.create(inputsOf());
            await api.watchedByWait();
            putPod(0, running, true);
            putPod(1, running);
            putPod(1, running, true);
            assert.equal((await waiting).outs.phase, "ready");
        });

        /** The exit code of a command whose wait sees the Job's end, but not the pod's. */
        async function exitCodeWithoutWatch(): Promise<number | null> {
            putReady();
            const waiting = jobStatus.create(inputsOf(ephemeral));
            await api.watchedByWait();
            api.fail(/pods\?.*watch/, "cut", { times: 99 });
            api.cutWatches();
            putPod(0, ended(0), false, "Succeeded");
            putJob({ conditions: [{ type: "Complete", status: "True" }] });
            return (await waiting).outs.exitCode;
        }

        it("waits for the end of a command, and records its exit code and log", async () => {
            putReady();
            api.logs.set("lammps-0-abcde", "step 1\ndone\n");
            const waiting = jobStatus.create(inputsOf(ephemeral));
            await api.watchedByWait();
            putPod(0, ended(0), false, "Succeeded");
            const { outs } = await waiting;
            assert.deepEqual([outs.phase, outs.exitCode, outs.output], ["succeeded", 0, "step 1\ndone\n"]);
        });

        it("records the exit code even if it sees the Job's end before the pod's", async () => {
            assert.equal(await exitCodeWithoutWatch(), 0);
        });

        it("keeps the end of a long log, and no log if maxBytes is 0", async () => {
            putReady();
            api.logs.set("lammps-0-abcde", Array.from({ length: 5000 }, (_, line) => `line ${line}`).join("\n"));
            const { outs } = await jobStatus.create(inputsOf({ maxBytes: 25 }));
            assert.equal(outs.output, "line 4998\nline 4999");
            assert.ok(api.requests.some((request) => request.includes("tailLines=2000")));
            const before = api.requests.length;
            assert.equal((await jobStatus.create(inputsOf({ maxBytes: 0 }))).outs.output, "");
            assert.ok(!api.requests.slice(before).some((request) => request.includes("/log")));
        });

        it("keeps up to maxBytes of a log of short lines", async () => {
            putReady();
            api.logs.set("lammps-0-abcde", "abcd\n".repeat(30_000));
            const { outs } = await jobStatus.create(inputsOf({ maxBytes: 100_000 }));
            assert.equal(outs.output.length, 99_995);
            const lines = api.requests.flatMap((request) => /tailLines=(\d+)/.exec(request)?.[1] ?? []);
            assert.deepEqual(lines, ["2000", "16000", "100000"]);
        });

        it("requests a log that is shorter than maxBytes only once", async () => {
            putReady();
            api.logs.set("lammps-0-abcde", "abcd\n".repeat(1990));
            assert.equal((await jobStatus.create(inputsOf({ maxBytes: 100_000 }))).outs.output.length, 9950);
            assert.equal(api.requests.filter((request) => request.includes("tailLines")).length, 1);
        });

        it("doesn't fail for a log that was lost with its node, and says so in the place of the output", async () => {
            putReady();
            const { outs } = await jobStatus.create(inputsOf());
            assert.equal(
                outs.output,
                `(the output of lammps-0-abcde can't be read: pods "lammps-0-abcde" not found)\n`,
            );
        });

        it("judges timeouts by the API server's clock, if this machine's is another", async () => {
            const ahead = 600_000;
            api.answerHeaders = { Date: new Date(Date.now() - ahead).toUTCString() };
            const since = new Date(Date.now() - ahead - 10_000).toISOString();
            putReady();
            api.put("jobs", {
                metadata: { name: "lammps", uid: "job-uid", creationTimestamp: since },
                spec: { parallelism: 2 },
                status: { startTime: since },
            });
            const waiting = jobStatus.create(inputsOf({ ...ephemeral, timeouts: { ...TIMEOUTS, completed: 300 } }));
            await api.watchedByWait();
            putPod(0, ended(0), false, "Succeeded");
            assert.equal((await waiting).outs.phase, "succeeded");
        });

        it("records the end of the newest of many leads", async () => {
            for (let index = 0; index < 25; index++) {
                const pod = makePod(0, { phase: "Failed" });
                const metadata = {
                    ...pod.metadata!,
                    name: `lammps-0-old${String(index).padStart(2, "0")}`,
                    uid: `old-${index}`,
                    creationTimestamp: "2020-01-01T00:00:00Z",
                    labels: { ...pod.metadata?.labels, "batch.kubernetes.io/controller-uid": "job-uid" },
                };
                api.put("pods", { ...JSON.parse(JSON.stringify(pod)), metadata });
            }
            assert.equal(await exitCodeWithoutWatch(), 0);
        });

        it("ignores the pods of an earlier Job of that name", async () => {
            const pod = makePod(0);
            const metadata = { ...pod.metadata!, name: "old", uid: "old", ownerReferences: [{ uid: "other" }] };
            api.put("pods", { ...JSON.parse(JSON.stringify(pod)), metadata });
            const waiting = jobStatus.create(inputsOf({ timeouts: { ...TIMEOUTS, ready: 0.3 } }));
            const { message } = await failureOf(waiting);
            assert.equal(message, "lammps: No quorum within timeouts.ready, 0 s: 2 pods did not join.");
        });

        it("writes one Event on the Job about the end of the wait", async () => {
            putReady();
            await jobStatus.create(inputsOf());
            await jobStatus.create(inputsOf());
            const posts = api.requests.filter((request) => request.startsWith("POST"));
            assert.deepEqual(posts, ["POST /api/v1/namespaces/hpc/events", "POST /api/v1/namespaces/hpc/events"]);
            const [event] = [...(api as any).objects.get("events").values()];
            assert.deepEqual(
                [event.reason, event.message, event.involvedObject.uid],
                ["Ready", "2 ranks joined", "job-uid"],
            );
            assert.equal((api as any).objects.get("events").size, 1);
        });

        it("writes an Event about a resize", async () => {
            putReady();
            await jobStatus.update("hpc/lammps", outputsOf({ size: 1 }), inputsOf());
            const [event] = [...(api as any).objects.get("events").values()];
            assert.deepEqual([event.reason, event.message], ["Resized", "from 1 to 2 ranks"]);
        });

        it("writes another Event about the same resize if the Job has changed in between", async () => {
            putReady();
            await jobStatus.update("hpc/lammps", outputsOf({ size: 1 }), inputsOf());
            const [job] = [...(api as any).objects.get("jobs").values()];
            api.put("jobs", { ...job, metadata: { ...job.metadata, generation: (job.metadata.generation ?? 1) + 1 } });
            await jobStatus.update("hpc/lammps", outputsOf({ size: 1 }), inputsOf());
            const events = [...(api as any).objects.get("events").values()];
            assert.deepEqual(
                events.map(({ message }) => message),
                ["from 1 to 2 ranks", "from 1 to 2 ranks"],
            );
        });

        it("needs no right to write Events", async () => {
            putReady();
            api.fail(/^POST .*events/, 403, { times: 9 });
            assert.equal((await jobStatus.create(inputsOf())).outs.phase, "ready");
        });
    });

    describe("when a wait fails", () => {
        const failed = {
            conditions: [{ type: "FailureTarget", status: "True", reason: "BackoffLimitExceeded", message: "limit" }],
        };

        it("reports the exit code and the end of the log, and keeps what it saw", async () => {
            putPod(0, ended(3), false, "Failed");
            api.logs.set("lammps-0-abcde", "reading in.lj\nERROR: no such file\n");
            putJob(failed);
            const error = await failureOf(jobStatus.create({ ...inputsOf(ephemeral), __provider: "text" } as any));
            assert.equal(
                error.message,
                "lammps: The command ended with exit code 3.\nThe end of the lead's log:\n  reading in.lj\n  ERROR: no such file",
            );
            assert.deepEqual([error.id, error.reasons], ["hpc/lammps", [error.message]]);
            const { __provider, exitCode, job, output, phase } = error.properties;
            assert.deepEqual(
                { __provider, exitCode, job, output, phase },
                {
                    __provider: "text",
                    exitCode: 3,
                    job: "hpc/lammps/job-uid",
                    output: "reading in.lj\nERROR: no such file\n",
                    phase: "failed",
                },
            );
            assert.deepEqual(JSON.parse(JSON.stringify(error.properties)), error.properties);
        });

        it("names a follower that was evicted while the command ran, and whose successor has joined", async () => {
            putReady();
            const waiting = jobStatus.create(inputsOf(ephemeral));
            await api.watchedByWait();
            const now = Date.now() / 1000;
            evict(1);
            putPod(1, running, true);
            const marks = { quorum: now - 9, started: now - 8, ended: now + 1 };
            const message = Object.entries(marks).map(([name, value]) => `minicluster.${name}=${value}\n`);
            putPod(0, ended(143, message.join("")), false, "Failed");
            putJob(failed);
            assert.equal(
                (await failureOf(waiting)).message,
                "lammps: lammps-1-old was removed by Kubernetes: Eviction API: evicting. " +
                    "The command ended with exit code 143.",
            );
        });

        it("shows no log in the message if maxBytes is 0", async () => {
            putPod(0, ended(3), false, "Failed");
            api.logs.set("lammps-0-abcde", "secret\n");
            putJob(failed);
            const { message } = await failureOf(jobStatus.create(inputsOf({ ...ephemeral, maxBytes: 0 })));
            assert.equal(message, "lammps: The command ended with exit code 3.");
        });

        it("shows nothing of a secret log, and keeps its end for the encrypted output", async () => {
            putPod(0, ended(3), false, "Failed");
            api.logs.set("lammps-0-abcde", "hush\n");
            putJob(failed);
            const { message, properties, reasons } = await failureOf(
                jobStatus.create(inputsOf({ ...ephemeral, secretOutput: true })),
            );
            assert.equal(
                message,
                "lammps: The command ended with exit code 3.\n" +
                    "output.secret keeps the lead's log out of this message; npx flux-minicluster logs prints it.",
            );
            assert.deepEqual([reasons, properties.output], [[message], "hush\n"]);
            const { output: _, ...others } = properties;
            assert.doesNotMatch(JSON.stringify([others, [...(api as any).objects.get("events").values()]]), /hush/);
        });

        it("reports what wait.sh has found missing", async () => {
            putPod(
                0,
                ended(78, "minicluster.error=the image has no flux on PATH (/bin); install flux-core in it\n"),
                false,
                "Failed",
            );
            putJob(failed);
            const { message } = await failureOf(jobStatus.create(inputsOf(ephemeral)));
            assert.match(message, /^lammps: lammps-0-abcde can't start: the image has no flux on PATH/);
        });

        const TAKEN = "<3>overlay.err[0]: error binding to tcp://*:8050: Address already in use";
        const REFUSED = "<3>overlay.err[0]: overlay auth No access";

        it("shows and explains the last lines of the lead's broker before its quorum", async () => {
            putPod(0, ended(1, ""), false, "Failed");
            api.logs.set("lammps-0-abcde", `<6>broker.info[0]: start: none->join 0.4ms\n${TAKEN}\n`);
            putJob(failed);
            const { message } = await failureOf(jobStatus.create(inputsOf(ephemeral)));
            assert.equal(
                message,
                "lammps: lammps-0-abcde ended with exit code 1 before its broker had its quorum.\n" +
                    "lammps-0-abcde: Another program uses the port of the broker: with hostNetwork, mostly another cluster on " +
                    `the same node. Set another broker.port.\nThe end of the lead's log:\n  ${TAKEN}`,
            );
        });

        const late = (more: Partial<JobStatusInputs> = {}) =>
            inputsOf({ timeouts: { ...TIMEOUTS, ready: 0.3 }, ...more });

        it("reads the log of a follower that hasn't joined, even if its pod still runs", async () => {
            putPod(0, running);
            putPod(1, running);
            api.logs.set("lammps-0-abcde", "<3>broker.err[0]: quorum delayed: waiting for lammps-1 (rank 1)\n");
            api.logs.set("lammps-1-abcde", `${TAKEN}\nminicluster: broker ended with 1, restarting it in 200 ms\n`);
            const { message } = await failureOf(jobStatus.create(late()));
            assert.match(
                message,
                /^lammps: No quorum within timeouts\.ready, 0 s: lammps-0-abcde, lammps-1-abcde did not join\.\nlammps-1-abcde: Another program uses the port/,
            );
            assert.ok(message.endsWith(`\nThe end of lammps-1-abcde's log:\n  ${TAKEN}`), message);
        });

        it("reads the lead's log about a refused rank whose own log explains nothing", async () => {
            putPod(0, running);
            putPod(1, running);
            api.logs.set("lammps-0-abcde", `${REFUSED}\n`);
            api.logs.set("lammps-1-abcde", "<6>broker.info[1]: start: none->join 0.4ms\n");
            const { message } = await failureOf(jobStatus.create(late()));
            assert.match(message, /\nlammps-0-abcde: Two ranks have different certificates\. /);
            assert.ok(message.endsWith(`\nThe end of the lead's log:\n  ${REFUSED}`), message);
        });

        it("explains a secret log without showing it", async () => {
            putPod(0, running);
            putPod(1, running);
            api.logs.set("lammps-1-abcde", `hush\n${TAKEN}\n`);
            const { message, properties } = await failureOf(jobStatus.create(late({ secretOutput: true })));
            assert.match(message, /\nlammps-1-abcde: Another program uses the port/);
            assert.ok(
                message.endsWith(
                    "\noutput.secret keeps lammps-1-abcde's log out of this message; npx flux-minicluster logs 1 prints it.",
                ),
                message,
            );
            assert.doesNotMatch(JSON.stringify([message, properties]), /hush|error binding/);
        });

        it("reports the failure without a log that can't be read", async () => {
            putPod(0, running);
            putPod(1, running);
            api.fail(/\/log/, 404, { times: 9 });
            const { message } = await failureOf(jobStatus.create(late()));
            assert.equal(
                message,
                "lammps: No quorum within timeouts.ready, 0 s: lammps-0-abcde, lammps-1-abcde did not join.",
            );
        });

        it("reports that the Job is gone", async () => {
            putReady();
            const waiting = jobStatus.create(inputsOf({ size: 3 }));
            await api.watchedByWait();
            api.remove("jobs", "lammps");
            const error = await failureOf(waiting);
            assert.match(error.message, /^lammps: The Job was deleted by another client\./);
            assert.equal(error.properties.phase, "gone");
        });

        it("reports that the Job is gone if another Job has its name", async () => {
            const { message } = await failureOf(jobStatus.create(inputsOf({ job: "hpc/lammps/other-uid" })));
            assert.match(message, /The Job was deleted by another client/);
        });

        it("ends when a timeout has passed, even if nothing changes", async () => {
            putPod(0, { waiting: { reason: "ErrImagePull", message: "not found" } }, false, "Pending");
            const inputs = inputsOf({ timeouts: { ...TIMEOUTS, imagePull: 0.2 } });
            const { message } = await failureOf(jobStatus.create(inputs));
            assert.equal(
                message,
                "lammps: lammps-0-abcde does not start: ErrImagePull: not found (for 0 s; raise timeouts.imagePull to wait longer)",
            );
        });

        it("reports an exhausted quota", async () => {
            const involvedObject = { kind: "Job", name: "lammps", uid: "job-uid" };
            api.put("events", {
                metadata: { name: "e" },
                type: "Warning",
                reason: "FailedCreate",
                message:
                    'pods "lammps-0" is forbidden: exceeded quota: q, requested: cpu=2, used: cpu=0, limited: cpu=1',
                involvedObject,
            });
            const inputs = inputsOf({ timeouts: { ...TIMEOUTS, podCreation: 0.1 } });
            const { message } = await failureOf(jobStatus.create(inputs));
            assert.match(
                message,
                /^lammps: Kubernetes can't create a pod: pods "lammps-0" is forbidden: exceeded quota: .* \(for 0 s; raise timeouts\.podCreation/,
            );
        });

        for (const kind of ["jobs", "pods"]) {
            it(`ends when the API server hasn't answered for ${kind} during timeouts.ready`, async () => {
                putReady();
                api.fail(new RegExp(`/${kind}\\?`), 503, { message: "etcd is not ready", times: 999 });
                const inputs = inputsOf({ timeouts: { ...TIMEOUTS, ready: 0.3 } });
                const { message, properties } = await failureOf(jobStatus.create(inputs));
                assert.equal(
                    message,
                    "lammps: The API server does not answer: etcd is not ready (for 0 s; raise timeouts.ready to wait longer)",
                );
                assert.equal(properties.phase, "unknown");
            });
        }

        it("ends when the API server stops answering while a command runs", async () => {
            putPod(0, running, true);
            const waiting = jobStatus.create(inputsOf({ ...ephemeral, timeouts: { ...TIMEOUTS, ready: 0.3 } }));
            await api.watchedByWait();
            api.fail(/./, 503, { message: "etcd is not ready", times: 999 });
            api.cutWatches();
            const { message, properties } = await failureOf(waiting);
            assert.match(message, /^lammps: The API server does not answer: /);
            assert.equal(properties.phase, "running");
        });

        it("goes on without the right to list events, and says so once", async () => {
            const lines: string[] = [];
            const message = 'events is forbidden: User "me" cannot list resource "events" in the namespace "hpc"';
            api.fail(/\/events\?/, 403, { message, times: 99 });
            putReady();
            const { last } = await waitForJob(
                connect({ kubeconfig: api.kubeconfig }),
                { namespace: "hpc", name: "lammps", uid: "job-uid" },
                inputsOf({ size: 3, timeouts: { ...TIMEOUTS, ready: 0.5 } }),
                { report: (line) => lines.push(line), cancel: new AbortController().signal },
            );
            assert.equal(last.outcome, "failed");
            const told = lines.filter((line) => line.includes("Events"));
            assert.deepEqual(told, [
                "Kubernetes' Events can't be read, so causes may be missing: the right to list and watch events is needed",
            ]);
            const lists = api.requests.filter((request) => request.includes("/events?"));
            const selections = new Set(lists.map((request) => /(?:type|reason)%3D\w+/.exec(request)?.[0]));
            assert.deepEqual([lists.length, selections], [2, new Set(["reason%3DPulling", "type%3DWarning"])]);
        });

        for (const kind of ["jobs", "pods"]) {
            it(`names the missing right to list ${kind}`, async () => {
                const message = `${kind} is forbidden: User "me" cannot list resource "${kind}" in the namespace "hpc"`;
                api.fail(new RegExp(`/${kind}\\?`), 403, { message, times: 99 });
                const error = await failureOf(jobStatus.create(inputsOf()));
                assert.equal(error.message, `Job hpc/lammps can't be watched: ${message}`);
                assert.deepEqual([error.id, error.properties.phase], ["hpc/lammps", "unknown"]);
            });
        }
    });

    describe("when the API server is briefly unavailable", () => {
        for (const code of [500, 429, "cut"] as const) {
            it(`continues the wait (${code})`, async () => {
                api.fail(/\?/, code, { times: 4 });
                putReady();
                assert.equal((await jobStatus.create(inputsOf())).outs.phase, "ready");
            });
        }

        it("continues the wait when all watches have expired", async () => {
            putPod(0, running, true);
            const waiting = jobStatus.create(inputsOf());
            await api.watchedByWait();
            api.expireWatches();
            putPod(1, running, true);
            assert.equal((await waiting).outs.phase, "ready");
        });

        it("records everything even at the end of the wait", async () => {
            putReady();
            const waiting = jobStatus.create(inputsOf(ephemeral));
            await api.watchedByWait();
            api.fail(/pods\?.*watch/, "cut", { times: 99 });
            api.cutWatches();
            api.fail(/job-completion-index/, 503, { times: 2 });
            api.fail(/\/log\?/, 503, { times: 1 });
            api.logs.set("lammps-0-abcde", "done\n");
            putPod(0, ended(0), false, "Succeeded");
            putJob({ conditions: [{ type: "Complete", status: "True" }] });
            const { outs } = await waiting;
            assert.deepEqual([outs.phase, outs.exitCode, outs.output], ["succeeded", 0, "done\n"]);
        });
    });

    describe("waitForJob", () => {
        const wait = (lines: string[], cancel: AbortSignal, overrides: Partial<JobStatusInputs> = {}) =>
            waitForJob(
                connect({ kubeconfig: api.kubeconfig }),
                { namespace: "hpc", name: "lammps", uid: "job-uid" },
                inputsOf(overrides),
                { report: (line) => lines.push(line), cancel },
            );

        /** Waits for a line. The next change has to come after it, because a look combines all changes before it. */
        async function said(lines: readonly string[], line: string): Promise<void> {
            while (lines.at(-1) !== line) {
                await new Promise((resolve) => setTimeout(resolve, 1));
            }
        }

        it("reports Kueue's reason why a Job waits in its queue", async () => {
            const labels = { "kueue.x-k8s.io/job-uid": "job-uid" };
            const conditions = [
                { type: "QuotaReserved", status: "False", message: "LocalQueue physics doesn't exist" },
            ];
            api.put("workloads", { metadata: { name: "job-lammps", labels }, status: { conditions } });
            putQueued({ startTime: undefined });
            const lines: string[] = [];
            const over = new AbortController();
            const report = (line: string) => {
                lines.push(line);
                if (line.includes("physics")) {
                    over.abort();
                }
            };
            await waitForJob(
                connect({ kubeconfig: api.kubeconfig }),
                { namespace: "hpc", name: "lammps", uid: "job-uid" },
                inputsOf(),
                { report, cancel: over.signal },
            );
            assert.equal(lines.at(-1), "waits in its queue: LocalQueue physics doesn't exist");
        });

        it("reports each change once", async () => {
            const lines: string[] = [];
            putPod(0, { waiting: { reason: "ContainerCreating" } }, false, "Pending");
            const waiting = wait(lines, new AbortController().signal);
            await api.watchedByWait();
            await said(lines, "0/2 pods running; lammps-0-abcde ContainerCreating");
            putPod(0, running);
            putPod(0, running);
            await said(lines, "1/2 pods running");
            putPod(1, running);
            await said(lines, "0/2 ranks joined");
            putPod(0, running, true);
            await said(lines, "1/2 ranks joined");
            putPod(1, running, true);
            const { interrupted, last } = await waiting;
            assert.deepEqual([interrupted, last.outcome], [false, "reached"]);
            assert.deepEqual(lines, [
                "0/2 pods running; lammps-0-abcde ContainerCreating",
                "1/2 pods running",
                "0/2 ranks joined",
                "1/2 ranks joined",
                "ready 2/2",
            ]);
        });

        it("ends at once when it is interrupted, and returns the last phase", async () => {
            const cancel = new AbortController();
            const lines: string[] = [];
            putPod(0, running);
            const waiting = wait(lines, cancel.signal);
            await api.watchedByWait();
            await said(lines, "1/2 pods running");
            cancel.abort();
            const { interrupted, last } = await waiting;
            assert.deepEqual([interrupted, last.phase], [true, "starting"]);
        });

        it("reports that the API server doesn't answer", async () => {
            const lines: string[] = [];
            api.fail(/jobs\?/, 503, { message: "etcd is not ready" });
            putReady();
            await wait(lines, new AbortController().signal);
            assert.deepEqual(lines, ["the API server does not answer (etcd is not ready); trying again", "ready 2/2"]);
        });

        it("ignores warnings about other objects of the namespace", async () => {
            const warning = (kind: string, name: string, uid: string) =>
                api.put("events", {
                    metadata: { name: `${name}.1` },
                    type: "Warning",
                    reason: "x",
                    message: name,
                    involvedObject: { kind, name, uid },
                });
            warning("Pod", "lammps-0-abcde", "pod-0");
            warning("Pod", "other-0-abcde", "other-pod");
            warning("Job", "other", "other-job");
            putReady();
            const { seen } = await wait([], new AbortController().signal, {
                size: 3,
                timeouts: { ...TIMEOUTS, ready: 0.2 },
            });
            const of = (uid: string) => seen.warningsOf(uid).map(({ message }) => message);
            assert.deepEqual([of("pod-0"), of("other-pod"), of("other-job")], [["lammps-0-abcde"], [], []]);
        });

        it("takes the problem of a pod whose image is pulled for solved", async () => {
            putPod(0, { waiting: { reason: "ContainerCreating" } });
            const told = (type: string, reason: string, secondsAgo: number) =>
                api.put("events", {
                    metadata: { name: `lammps-0-abcde.${reason}` },
                    type,
                    reason,
                    message: "volume data has volumeMode Block, but is specified in volumeMounts",
                    lastTimestamp: new Date(Date.now() - secondsAgo * 1000).toISOString(),
                    involvedObject: { kind: "Pod", name: "lammps-0-abcde", uid: "pod-0" },
                });
            told("Warning", "FailedMount", 2);
            told("Normal", "Pulling", 1);
            const { last } = await wait([], new AbortController().signal, {
                timeouts: { ...TIMEOUTS, podCreation: 0.1, ready: 0.3 },
            });
            assert.match(last.failure ?? "", /within timeouts\.ready/);
        });

        it("leaves no watch open", async () => {
            putReady();
            await wait([], new AbortController().signal);
            await api.watchesClosed();
        });
    });

    const recorded: Omit<JobStatusOutputs, keyof JobStatusInputs> = {
        phase: "ready",
        exitCode: null,
        output: "x",
        nodes: { 0: "n" },
        timings: { quorum: 1 },
        slowest: "",
        progress: "",
        schemaVersion: 1,
    };
    /** As the host passes them: without undefined values. */
    const outputsOf = (overrides: Partial<JobStatusOutputs> = {}): JobStatusOutputs =>
        JSON.parse(JSON.stringify({ ...inputsOf(), ...recorded, ...overrides }));

    describe("diff", () => {
        const cases: [string, Partial<JobStatusOutputs>, Partial<JobStatusInputs>, boolean][] = [
            ["unchanged inputs", {}, {}, false],
            ["another URN", {}, { resourceUrn: "urn:b" }, false],
            ["another Job", {}, { job: "hpc/lammps/new" }, true],
            ["an unknown Job", {}, { job: UNKNOWN }, true],
            ["another size", {}, { size: 9 }, true],
            ["a suspension", {}, { suspend: true }, true],
            ["another goal", {}, { waitFor: "none" }, true],
            ["other timeouts", {}, { timeouts: { ...TIMEOUTS, ready: 1 } }, true],
            ["an output that becomes secret", {}, { secretOutput: true }, true],
            ["other credentials", {}, { kubeconfig: "other" }, true],
            ["a size that is now left to another client", {}, { sizedBy: "autoscaler" }, true],
            ["a goal that wasn't reached", { phase: "starting" }, {}, true],
            ["a wait that failed", { phase: "unknown" }, {}, true],
            [
                "a running command if waitFor is completed",
                { phase: "running", waitFor: "completed" },
                { waitFor: "completed" },
                true,
            ],
            ["a command that has ended", { phase: "succeeded", waitFor: "completed" }, { waitFor: "completed" }, false],
            ["a command that failed", { phase: "failed", waitFor: "completed" }, { waitFor: "completed" }, true],
            ["a Job that is suspended as wanted", { phase: "suspended", suspend: true }, { suspend: true }, false],
            ["a queued Job if waitFor is none", { phase: "queued", waitFor: "none" }, { waitFor: "none" }, false],
            ["a Job that its TTL has removed after its start", { phase: "expired" }, {}, false],
            [
                "a Job that its TTL has removed before its end was seen",
                { phase: "expired", waitFor: "completed" },
                { waitFor: "completed" },
                true,
            ],
            [
                "a command that ended before it could be suspended",
                { ...ephemeral, phase: "succeeded", suspend: true },
                { ...ephemeral, suspend: true },
                false,
            ],
            ["a new TTL", {}, { expires: true }, true],
            ["a pending Job if waitFor is none", { phase: "pending", waitFor: "none" }, { waitFor: "none" }, false],
        ];
        for (const [what, olds, news, expected] of cases) {
            it(`finds ${expected ? "a change" : "no change"} for ${what}`, async () => {
                const wanted = JSON.parse(JSON.stringify(inputsOf(news)));
                assert.deepEqual(await jobStatus.diff("id", outputsOf(olds), wanted), { changes: expected });
            });
        }
    });

    describe("update", () => {
        it("waits again for another size, and doesn't change the Job", async () => {
            putReady();
            const { outs } = await jobStatus.update("hpc/lammps", outputsOf({ size: 1 }), inputsOf());
            assert.deepEqual([outs.phase, outs.size], ["ready", 2]);
            assert.ok(!api.requests.some((request) => /^(PATCH|DELETE|PUT)/.test(request)));
        });

        it("only stores other settings, without a request", async () => {
            const { outs } = await jobStatus.update("hpc/lammps", outputsOf(), inputsOf({ maxBytes: 1 }));
            assert.deepEqual([outs.maxBytes, outs.output], [1, "x"]);
            assert.deepEqual(api.requests, []);
        });

        for (const [limit, waits] of [
            [200, true],
            [100, false],
            [50, false],
        ] as const) {
            const what = waits ? "looks again for" : "leaves";
            it(`${what} results that are left above the limit 100 if the limit is ${limit}`, async () => {
                api.put("jobs", {
                    ...api.get("jobs", "lammps")!,
                    status: { conditions: [{ type: "Complete", status: "True" }] },
                });
                const keeps = {
                    at: "results/lammps",
                    isFetched: true,
                    limit: 100,
                    onFailure: false,
                    ofAllRanks: false,
                };
                const results = { at: "", files: [], count: 1, bytes: 150, complete: false, reason: "large" };
                const olds = { ...ephemeral, phase: "succeeded", keeps, results } as const;
                await jobStatus.update(
                    "hpc/lammps",
                    outputsOf(olds),
                    inputsOf({ ...ephemeral, keeps: { ...keeps, limit } }),
                );
                assert.equal(api.requests.length > 0, waits);
            });
        }

        describe("after the TTL removed the Job", () => {
            const started = { ephemeral: true, expires: true, output: "hello\n" } as const;
            beforeEach(() => api.remove("jobs", "lammps"));
            const update = (olds: Partial<JobStatusOutputs>, news: Partial<JobStatusInputs> = {}) =>
                jobStatus.update(
                    "hpc/lammps",
                    outputsOf({ ...started, ...olds }),
                    inputsOf({ ephemeral: true, expires: true, ...news }),
                );

            for (const waitFor of ["none", "ready"]) {
                it(`succeeds and keeps the record if waitFor is ${waitFor}`, async () => {
                    const { outs } = await update({ phase: "gone", waitFor }, { waitFor });
                    assert.deepEqual([outs.phase, outs.output, outs.nodes], ["expired", "hello\n", { 0: "n" }]);
                    assert.deepEqual(await jobStatus.diff("id", outs, outs), { changes: false });
                });
            }

            for (const waitFor of ["none", "ready"]) {
                it(`is expired if the TTL that removed it is raised and waitFor is ${waitFor}`, async () => {
                    const before = {
                        phase: "running",
                        waitFor,
                        expires: 60,
                        createdAt: "2026-01-01T00:00:00Z",
                    } as const;
                    const { outs } = await update(before, { expires: 1e9, waitFor });
                    assert.equal(outs.phase, "expired");
                });

                it(`stays expired if the TTL is removed and waitFor is ${waitFor}`, async () => {
                    const { outs } = await update({ phase: "running", waitFor }, { expires: undefined, waitFor });
                    const { props = outs } = await jobStatus.read("hpc/lammps", outs);
                    const later = await jobStatus.update("hpc/lammps", props, { ...props, size: 3 });
                    assert.deepEqual([outs.phase, props.phase, later.outs.phase], ["expired", "expired", "expired"]);
                });
            }

            it("keeps a success, even if it waits again", async () => {
                const olds = { ...ephemeral, phase: "succeeded", exitCode: 0 } as const;
                const { outs } = await update(olds, { ...ephemeral, size: 3 });
                assert.deepEqual([outs.phase, outs.exitCode, outs.output, outs.size], ["succeeded", 0, "hello\n", 3]);
            });

            it("fails for a failed run, and keeps its record", async () => {
                const { message, properties } = await failureOf(
                    update({ ...ephemeral, phase: "failed", exitCode: 3 }, ephemeral),
                );
                assert.equal(
                    message,
                    "lammps: The run failed, and its Job was removed. Change triggers to run it again.",
                );
                assert.deepEqual([properties.phase, properties.exitCode, properties.output], ["failed", 3, "hello\n"]);
            });
        });

        it("is unchanged for a state of a version that recorded whether the Job is queued", async () => {
            const plain = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;
            const olds = plain({ ...outputsOf(), queued: true });
            assert.deepEqual(await jobStatus.diff("id", olds, plain(inputsOf())), { changes: false });
        });

        it("drops settings that are no longer given, so that the next preview is empty", async () => {
            const { outs } = await jobStatus.update("hpc/lammps", outputsOf({ context: "old" }), inputsOf());
            assert.ok(!("context" in outs));
            const news = JSON.parse(JSON.stringify(inputsOf()));
            assert.deepEqual(await jobStatus.diff("id", JSON.parse(JSON.stringify(outs)), news), { changes: false });
        });
    });

    describe("read", () => {
        const read = (overrides: Partial<JobStatusOutputs> = {}) => jobStatus.read("hpc/lammps", outputsOf(overrides));

        it("reports a Job that its queue holds as queued", async () => {
            putQueued();
            assert.equal((await read()).props?.phase, "queued");
        });

        it("keeps the record while pods come and go", async () => {
            const { inputs, props } = await read();
            assert.deepEqual(props, JSON.parse(JSON.stringify(outputsOf())));
            assert.deepEqual(inputs, JSON.parse(JSON.stringify(inputsOf())));
        });

        const phases: [string, object, object, Partial<JobStatusOutputs>, string][] = [
            [
                "a Job that has failed since the wait",
                { conditions: [{ type: "Failed", status: "True" }] },
                {},
                {},
                "failed",
            ],
            [
                "a Job that has completed since the wait",
                { conditions: [{ type: "Complete", status: "True" }] },
                {},
                {},
                "succeeded",
            ],
            [
                "a suspended Job",
                { conditions: [{ type: "Suspended", status: "True" }] },
                { suspend: true },
                {},
                "suspended",
            ],
            ["a resumed Job", {}, {}, { phase: "suspended" }, "starting"],
            ["a woken Job", {}, {}, { phase: "asleep" }, "starting"],
            ["a cluster that another client has resized", {}, { parallelism: 7 }, {}, "starting"],
            ["a cluster that an autoscaler may resize", {}, { parallelism: 7 }, { sizedBy: "autoscaler" }, "ready"],
            ["a finished command whose Job doesn't show the end yet", {}, {}, { phase: "succeeded" }, "succeeded"],
        ];
        for (const [what, status, spec, overrides, expected] of phases) {
            it(`reports ${what} as ${expected}`, async () => {
                putJob(status, spec);
                assert.equal((await read(overrides)).props?.phase, expected);
            });
        }

        it("reports that the Job is gone, unless it had ended", async () => {
            api.remove("jobs", "lammps");
            assert.equal((await read()).props?.phase, "gone");
            assert.equal((await read({ phase: "succeeded" })).props?.phase, "succeeded");
        });

        it("reports a Job with a TTL as expired in an ephemeral cluster, and as gone otherwise", async () => {
            api.remove("jobs", "lammps");
            const expires = { expires: true, phase: "running" } as const;
            assert.equal((await read({ ...expires, ephemeral: true })).props?.phase, "expired");
            assert.equal((await read({ ...expires, ephemeral: true, phase: "failed" })).props?.phase, "failed");
            assert.equal((await read(expires)).props?.phase, "gone");
        });

        describe("if waitFor is none", () => {
            const none = { waitFor: "none", output: "", phase: "pending", nodes: {} } as const;

            it("records what a wait would record", async () => {
                putReady();
                api.logs.set("lammps-0-abcde", "hello\n");
                const { props } = await read(none);
                assert.deepEqual(
                    [props?.phase, props?.output, props?.nodes],
                    ["ready", "hello\n", { 0: "node-0", 1: "node-1" }],
                );
                api.logs.set("lammps-0-abcde", "hello\nworld\n");
                assert.deepEqual((await jobStatus.read("hpc/lammps", props!)).props, props, "the phase is the same");
            });

            it("records the exit code and the output of a finished command", async () => {
                putPod(0, ended(3), false, "Failed");
                api.logs.set("lammps-0-abcde", "hello\n");
                putJob({ conditions: [{ type: "Failed", status: "True" }] });
                const { props } = await read({ ...none, ephemeral: true, phase: "running" });
                assert.deepEqual([props?.phase, props?.exitCode, props?.output], ["failed", 3, "hello\n"]);
            });

            it("reports the phase queued while the queue holds the Job", async () => {
                putQueued();
                const { props } = await read({ ...none, phase: "queued" });
                assert.deepEqual(props, outputsOf({ ...none, phase: "queued" }));
            });
        });

        it("records the exit code and the output of a command that has ended since the wait", async () => {
            putPod(0, ended(0), false, "Succeeded");
            api.logs.set("lammps-0-abcde", "done\n");
            putJob({ conditions: [{ type: "Complete", status: "True" }] });
            const { props } = await read({ ...ephemeral, phase: "running", output: "" });
            assert.deepEqual([props?.phase, props?.exitCode, props?.output], ["succeeded", 0, "done\n"]);
        });

        it("reports that the Job is gone if another Job has its name", async () => {
            assert.equal((await read({ job: "hpc/lammps/other" })).props?.phase, "gone");
        });

        it("fails without the right to read the Job", async () => {
            api.fail(/jobs\/lammps/, 403, { message: "cannot get jobs", times: 9 });
            await assert.rejects(read(), { message: "Job hpc/lammps can't be read: cannot get jobs" });
        });
    });

    it("deletes nothing, because the Job isn't its own", async () => {
        await jobStatus.delete("hpc/lammps", outputsOf());
        assert.deepEqual(api.requests, []);
    });
});
