import type { V1ContainerState, V1Pod } from "@kubernetes/client-node";
import assert from "node:assert/strict";

import { connect } from "../../../../provider/kube/client";
import type { JobStatusInputs, JobStatusOutputs } from "../../../../provider/jobStatus/resource";
import { jobStatus } from "../../../../provider/jobStatus/verbs";
import { waitForJob } from "../../../../provider/jobStatus/wait";
import { UNKNOWN } from "../../../../provider/unknown";
import { FakeApi } from "../../support/fakeApi";
import { makePod, makeStatusInputs, TIMEOUTS } from "../../support/states";

const ephemeral = { ephemeral: true, waitFor: "completed", size: 2 };

interface PartialFailure extends Error {
    readonly id: string;
    readonly properties: JobStatusOutputs & { __provider?: string };
    readonly reasons: string[];
}

describe("jobStatus", () => {
    let api: FakeApi;

    const { log } = console;

    beforeEach(async () => {
        // Progress goes to standard output where there is no engine.
        console.log = () => undefined;
        api = await FakeApi.start();
        putJob();
    });

    afterEach(() => {
        console.log = log;
        return api.stop();
    });

    const inputsOf = (overrides: Partial<JobStatusInputs> = {}) =>
        makeStatusInputs({ kubeconfig: api.kubeconfig, size: 2, ...overrides });

    function putJob(status: object = {}, spec: object = {}): void {
        api.put("jobs", {
            metadata: {
                name: "lammps",
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

    const running = { running: { startedAt: new Date() } };
    const ended = (exitCode: number, message = "quorum=1.5\nstarted=2\nended=3\n") => ({
        terminated: { exitCode, reason: exitCode === 0 ? "Completed" : "Error", startedAt: new Date(), message },
    });

    function putReady(): void {
        putPod(0, running, true);
        putPod(1, running, true);
    }

    const watching = () =>
        Promise.all(["jobs", "pods", "events"].map((kind) => api.seen(new RegExp(`${kind}\\?.*watch=true`))));

    /** The partial failure of a wait. */
    async function failureOf(waiting: Promise<unknown>): Promise<PartialFailure> {
        return waiting.then(
            () => assert.fail("the wait did not fail"),
            (error: PartialFailure) => error,
        );
    }

    describe("create", () => {
        it("records what it sees when the goal is reached already", async () => {
            putReady();
            api.logs.set("lammps-0-abcde", "hello\n");
            const { id, outs } = await jobStatus.create(inputsOf());
            assert.equal(id, "hpc/lammps");
            assert.deepEqual(
                [outs.phase, outs.output, outs.nodes, outs.exitCode, outs.schemaVersion],
                ["ready", "hello\n", { 0: "node-0", 1: "node-1" }, undefined, 1],
            );
            assert.deepEqual(Object.keys(outs.timings), ["scheduled", "started", "quorum"]);
            assert.match(outs.slowest, /^lammps-\d-abcde: /);
        });

        it("returns nothing undefined, which the host can't send", async () => {
            putReady();
            const { outs } = await jobStatus.create(inputsOf());
            assert.deepEqual(JSON.parse(JSON.stringify(outs)), outs);
            assert.ok(!("exitCode" in outs));
        });

        it("waits until ranks come in, whenever that is", async () => {
            putPod(0, running);
            const waiting = jobStatus.create(inputsOf());
            await watching();
            putPod(0, running, true);
            putPod(1, running);
            putPod(1, running, true);
            assert.equal((await waiting).outs.phase, "ready");
        });

        it("waits for the end of a command and takes its exit code and its log", async () => {
            putReady();
            api.logs.set("lammps-0-abcde", "step 1\ndone\n");
            const waiting = jobStatus.create(inputsOf(ephemeral));
            await watching();
            putPod(0, ended(0), false, "Succeeded");
            const { outs } = await waiting;
            assert.deepEqual([outs.phase, outs.exitCode, outs.output], ["succeeded", 0, "step 1\ndone\n"]);
        });

        it("sees the end of a Job before it sees the end of its pod", async () => {
            putReady();
            const waiting = jobStatus.create(inputsOf(ephemeral));
            await watching();
            api.fail(/pods\?.*watch/, "cut", { times: 99 });
            api.cutWatches();
            putPod(0, ended(0), false, "Succeeded");
            putJob({ conditions: [{ type: "Complete", status: "True" }] });
            assert.equal((await waiting).outs.exitCode, 0);
        });

        it("keeps the end of a long log, and none where none is wanted", async () => {
            putReady();
            api.logs.set("lammps-0-abcde", Array.from({ length: 5000 }, (_, line) => `line ${line}`).join("\n"));
            const { outs } = await jobStatus.create(inputsOf({ maxBytes: 25 }));
            assert.equal(outs.output, "line 4998\nline 4999");
            assert.ok(api.requests.some((request) => request.includes("tailLines=2000")));
            const before = api.requests.length;
            assert.equal((await jobStatus.create(inputsOf({ maxBytes: 0 }))).outs.output, "");
            assert.ok(!api.requests.slice(before).some((request) => request.includes("/log")));
        });

        it("keeps as many bytes as asked for of a log of short lines", async () => {
            putReady();
            api.logs.set("lammps-0-abcde", "abcd\n".repeat(30_000));
            const { outs } = await jobStatus.create(inputsOf({ maxBytes: 100_000 }));
            assert.equal(outs.output.length, 99_995);
            const lines = api.requests.flatMap((request) => /tailLines=(\d+)/.exec(request)?.[1] ?? []);
            assert.deepEqual(lines, ["2000", "16000", "100000"]);
        });

        it("asks once for a log that is shorter than asked for", async () => {
            putReady();
            api.logs.set("lammps-0-abcde", "abcd\n".repeat(1990));
            assert.equal((await jobStatus.create(inputsOf({ maxBytes: 100_000 }))).outs.output.length, 9950);
            assert.equal(api.requests.filter((request) => request.includes("tailLines")).length, 1);
        });

        it("doesn't fail for a log that is gone with its node", async () => {
            putReady();
            assert.equal((await jobStatus.create(inputsOf())).outs.output, "");
        });

        it("doesn't take the pods of an earlier Job of that name for its own", async () => {
            const pod = makePod(0);
            const metadata = { ...pod.metadata!, name: "old", uid: "old", ownerReferences: [{ uid: "other" }] };
            api.put("pods", { ...JSON.parse(JSON.stringify(pod)), metadata });
            const waiting = jobStatus.create(inputsOf({ timeouts: { ...TIMEOUTS, ready: 0.3 } }));
            const { message } = await failureOf(waiting);
            assert.equal(message, "lammps: No quorum within timeouts.ready, 0 s: 2 pods did not join.");
        });

        it("announces the end of the wait on the Job, once", async () => {
            putReady();
            await jobStatus.create(inputsOf());
            await jobStatus.create(inputsOf());
            const posts = api.requests.filter((request) => request.startsWith("POST"));
            assert.deepEqual(posts, ["POST /api/v1/namespaces/hpc/events", "POST /api/v1/namespaces/hpc/events"]);
            const [event] = [...(api as any).objects.get("events").values()];
            assert.deepEqual(
                [event.reason, event.message, event.involvedObject.uid],
                ["Ready", "2 ranks are in", "job-uid"],
            );
            assert.equal((api as any).objects.get("events").size, 1);
        });

        it("announces a resize as one", async () => {
            putReady();
            await jobStatus.update("hpc/lammps", outputsOf({ size: 1 }), inputsOf());
            const [event] = [...(api as any).objects.get("events").values()];
            assert.deepEqual([event.reason, event.message], ["Resized", "from 1 to 2 ranks"]);
        });

        it("announces the same resize again when the Job has changed in between", async () => {
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

    describe("a wait that fails", () => {
        const failed = {
            conditions: [{ type: "FailureTarget", status: "True", reason: "BackoffLimitExceeded", message: "limit" }],
        };

        it("says the exit code and the end of the log, and keeps what it saw", async () => {
            putPod(0, ended(3), false, "Failed");
            api.logs.set("lammps-0-abcde", "reading in.lj\nERROR: no such file\n");
            putJob(failed);
            const error = await failureOf(jobStatus.create({ ...inputsOf(ephemeral), __provider: "text" } as any));
            assert.equal(
                error.message,
                "lammps: The command ended with exit code 3.\nThe end of rank 0's log:\n  reading in.lj\n  ERROR: no such file",
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

        it("has no log in the message where none is kept", async () => {
            putPod(0, ended(3), false, "Failed");
            api.logs.set("lammps-0-abcde", "secret\n");
            putJob(failed);
            const { message } = await failureOf(jobStatus.create(inputsOf({ ...ephemeral, maxBytes: 0 })));
            assert.equal(message, "lammps: The command ended with exit code 3.");
        });

        it("shows nothing of a log that is secret, and keeps its end for the encrypted output", async () => {
            putPod(0, ended(3), false, "Failed");
            api.logs.set("lammps-0-abcde", "hush\n");
            putJob(failed);
            const { message, properties, reasons } = await failureOf(
                jobStatus.create(inputsOf({ ...ephemeral, secretOutput: true })),
            );
            assert.equal(
                message,
                "lammps: The command ended with exit code 3.\n" +
                    "output.secret keeps rank 0's log out of this message; npx minicluster logs prints it.",
            );
            assert.deepEqual([reasons, properties.output], [[message], "hush\n"]);
            const { output: _, ...others } = properties;
            assert.doesNotMatch(JSON.stringify([others, [...(api as any).objects.get("events").values()]]), /hush/);
        });

        it("says what the wait script found missing", async () => {
            putPod(
                0,
                ended(78, "error=the image has no flux on PATH (/bin); install flux-core in it\n"),
                false,
                "Failed",
            );
            putJob(failed);
            const { message } = await failureOf(jobStatus.create(inputsOf(ephemeral)));
            assert.match(message, /^lammps: lammps-0-abcde can't start: the image has no flux on PATH/);
        });

        const TAKEN = "<3>overlay.err[0]: error binding to tcp://*:8050: Address already in use";
        const REFUSED = "<3>overlay.err[0]: overlay auth No access";

        it("says what the lead's broker said last before its quorum, and what that means", async () => {
            putPod(0, ended(1, ""), false, "Failed");
            api.logs.set("lammps-0-abcde", `<6>broker.info[0]: start: none->join 0.4ms\n${TAKEN}\n`);
            putJob(failed);
            const { message } = await failureOf(jobStatus.create(inputsOf(ephemeral)));
            assert.equal(
                message,
                "lammps: lammps-0-abcde's broker ended with exit code 1 before it had its quorum.\n" +
                    "lammps-0-abcde: Another program has the port of the broker: on the network of a node, mostly another cluster. " +
                    `Give another broker.port.\nThe end of rank 0's log:\n  ${TAKEN}`,
            );
        });

        const late = (more: Partial<JobStatusInputs> = {}) =>
            inputsOf({ timeouts: { ...TIMEOUTS, ready: 0.3 }, ...more });

        it("asks the log of a follower that has not joined, though its pod goes on", async () => {
            putPod(0, running);
            putPod(1, running);
            api.logs.set("lammps-0-abcde", "<3>broker.err[0]: quorum delayed: waiting for lammps-1 (rank 1)\n");
            api.logs.set("lammps-1-abcde", `${TAKEN}\nminicluster: broker ended with 1, starting it again in 200 ms\n`);
            const { message } = await failureOf(jobStatus.create(late()));
            assert.match(
                message,
                /^lammps: No quorum within timeouts\.ready, 0 s: lammps-0-abcde, lammps-1-abcde did not join\.\nlammps-1-abcde: Another program has the port/,
            );
            assert.ok(message.endsWith(`\nThe end of lammps-1-abcde's log:\n  ${TAKEN}`), message);
        });

        it("asks the lead's log of a rank that it has refused, where that rank's own tells nothing", async () => {
            putPod(0, running);
            putPod(1, running);
            api.logs.set("lammps-0-abcde", `${REFUSED}\n`);
            api.logs.set("lammps-1-abcde", "<6>broker.info[1]: start: none->join 0.4ms\n");
            const { message } = await failureOf(jobStatus.create(late()));
            assert.match(message, /\nlammps-0-abcde: Two ranks have different certificates\. /);
            assert.ok(message.endsWith(`\nThe end of rank 0's log:\n  ${REFUSED}`), message);
        });

        it("says only what the log means where it is secret", async () => {
            putPod(0, running);
            putPod(1, running);
            api.logs.set("lammps-1-abcde", `hush\n${TAKEN}\n`);
            const { message, properties } = await failureOf(jobStatus.create(late({ secretOutput: true })));
            assert.match(message, /\nlammps-1-abcde: Another program has the port/);
            assert.ok(
                message.endsWith(
                    "\noutput.secret keeps lammps-1-abcde's log out of this message; npx minicluster logs 1 prints it.",
                ),
                message,
            );
            assert.doesNotMatch(JSON.stringify([message, properties]), /hush|error binding/);
        });

        it("does without a log that can't be read", async () => {
            putPod(0, running);
            putPod(1, running);
            api.fail(/\/log/, 404, { times: 9 });
            const { message } = await failureOf(jobStatus.create(late()));
            assert.equal(
                message,
                "lammps: No quorum within timeouts.ready, 0 s: lammps-0-abcde, lammps-1-abcde did not join.",
            );
        });

        it("says that the Job is gone", async () => {
            putReady();
            const waiting = jobStatus.create(inputsOf({ size: 3 }));
            await watching();
            api.remove("jobs", "lammps");
            const error = await failureOf(waiting);
            assert.match(error.message, /^lammps: The Job is gone: somebody else deleted it\./);
            assert.equal(error.properties.phase, "gone");
        });

        it("takes another Job of that name for gone as well", async () => {
            const { message } = await failureOf(jobStatus.create(inputsOf({ job: "hpc/lammps/other-uid" })));
            assert.match(message, /The Job is gone/);
        });

        it("ends by itself when a time is up, without anything happening", async () => {
            putPod(0, { waiting: { reason: "ErrImagePull", message: "not found" } }, false, "Pending");
            const inputs = inputsOf({ timeouts: { ...TIMEOUTS, imagePull: 0.2 } });
            const { message } = await failureOf(jobStatus.create(inputs));
            assert.equal(
                message,
                "lammps: lammps-0-abcde does not start: ErrImagePull: not found (for 0 s; timeouts.imagePull is the argument for it)",
            );
        });

        it("tells of a quota that is used up", async () => {
            const involvedObject = { kind: "Job", name: "lammps", uid: "job-uid" };
            api.put("events", {
                metadata: { name: "e" },
                type: "Warning",
                reason: "FailedCreate",
                message: "exceeded quota",
                involvedObject,
            });
            const inputs = inputsOf({ timeouts: { ...TIMEOUTS, podCreation: 0.1 } });
            const { message } = await failureOf(jobStatus.create(inputs));
            assert.match(message, /^lammps: Kubernetes makes no pod: exceeded quota \(for 0 s; timeouts.podCreation/);
        });

        for (const kind of ["jobs", "pods"]) {
            it(`ends when the API server has not answered for its ${kind} during timeouts.ready`, async () => {
                putReady();
                api.fail(new RegExp(`/${kind}\\?`), 503, { message: "etcd is not ready", times: 999 });
                const inputs = inputsOf({ timeouts: { ...TIMEOUTS, ready: 0.3 } });
                const { message, properties } = await failureOf(jobStatus.create(inputs));
                assert.equal(
                    message,
                    "lammps: The API server does not answer: etcd is not ready (for 0 s; timeouts.ready is the argument for it)",
                );
                assert.equal(properties.phase, "unknown");
            });
        }

        it("ends when the API server stops to answer in a running command", async () => {
            putPod(0, running, true);
            const waiting = jobStatus.create(inputsOf({ ...ephemeral, timeouts: { ...TIMEOUTS, ready: 0.3 } }));
            await watching();
            api.fail(/./, 503, { message: "etcd is not ready", times: 999 });
            api.cutWatches();
            const { message, properties } = await failureOf(waiting);
            assert.match(message, /^lammps: The API server does not answer: /);
            assert.equal(properties.phase, "running");
        });

        for (const kind of ["jobs", "pods", "events"]) {
            it(`names the right that is missing to list ${kind}`, async () => {
                const message = `${kind} is forbidden: User "me" cannot list resource "${kind}" in the namespace "hpc"`;
                api.fail(new RegExp(`/${kind}\\?`), 403, { message, times: 99 });
                const error = await failureOf(jobStatus.create(inputsOf()));
                assert.equal(error.message, `Job hpc/lammps can't be watched: ${message}`);
                assert.deepEqual([error.id, error.properties.phase], ["hpc/lammps", "unknown"]);
            });
        }
    });

    describe("a wait on an API server that is away for a moment", () => {
        for (const code of [500, 429, "cut"] as const) {
            it(`goes on (${code})`, async () => {
                api.fail(/\?/, code, { times: 4 });
                putReady();
                assert.equal((await jobStatus.create(inputsOf())).outs.phase, "ready");
            });
        }

        it("goes on when all watches break and all is new", async () => {
            putPod(0, running, true);
            const waiting = jobStatus.create(inputsOf());
            await watching();
            api.expireWatches();
            putPod(1, running, true);
            assert.equal((await waiting).outs.phase, "ready");
        });

        it("still records everything when it is away at the end", async () => {
            putReady();
            const waiting = jobStatus.create(inputsOf(ephemeral));
            await watching();
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
                (line) => lines.push(line),
                cancel,
            );

        /** A wait looks a moment after an event: a change before that look is part of it. */
        async function said(lines: readonly string[], line: string): Promise<void> {
            while (lines.at(-1) !== line) {
                await new Promise((resolve) => setTimeout(resolve, 1));
            }
        }

        it("asks Kueue why a Job waits in its queue", async () => {
            const labels = { "kueue.x-k8s.io/job-uid": "job-uid" };
            const conditions = [
                { type: "QuotaReserved", status: "False", message: "LocalQueue physics doesn't exist" },
            ];
            api.put("workloads", { metadata: { name: "job-lammps", labels }, status: { conditions } });
            putJob({ startTime: undefined }, { suspend: true });
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
                inputsOf({ queued: true }),
                report,
                over.signal,
            );
            assert.equal(lines.at(-1), "waits in its queue: LocalQueue physics doesn't exist");
        });

        it("says each change once", async () => {
            const lines: string[] = [];
            putPod(0, { waiting: { reason: "ContainerCreating" } }, false, "Pending");
            const waiting = wait(lines, new AbortController().signal);
            await watching();
            await said(lines, "0/2 pods running; lammps-0-abcde ContainerCreating");
            putPod(0, running);
            putPod(0, running);
            await said(lines, "1/2 pods running");
            putPod(1, running);
            await said(lines, "0/2 ranks in");
            putPod(0, running, true);
            await said(lines, "1/2 ranks in");
            putPod(1, running, true);
            const { interrupted, last } = await waiting;
            assert.deepEqual([interrupted, last.outcome], [false, "reached"]);
            assert.deepEqual(lines, [
                "0/2 pods running; lammps-0-abcde ContainerCreating",
                "1/2 pods running",
                "0/2 ranks in",
                "1/2 ranks in",
                "ready 2/2",
            ]);
        });

        it("ends at once when it is interrupted, and tells where it was", async () => {
            const cancel = new AbortController();
            const lines: string[] = [];
            putPod(0, running);
            const waiting = wait(lines, cancel.signal);
            await watching();
            await said(lines, "1/2 pods running");
            const before = Date.now();
            cancel.abort();
            const { interrupted, last } = await waiting;
            assert.deepEqual([interrupted, last.phase], [true, "starting"]);
            assert.ok(Date.now() - before < 2000);
        });

        it("says that the API server doesn't answer", async () => {
            const lines: string[] = [];
            api.fail(/jobs\?/, 503, { message: "etcd is not ready" });
            putReady();
            await wait(lines, new AbortController().signal);
            assert.deepEqual(lines, ["the API server does not answer (etcd is not ready); trying again", "ready 2/2"]);
        });

        it("keeps no warnings about other objects of the namespace", async () => {
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
            assert.equal(seen.warning("pod-0", "x")?.message, "lammps-0-abcde");
            assert.deepEqual([seen.warning("other-pod", "x"), seen.warning("other-job", "x")], [undefined, undefined]);
        });

        it("leaves no watch open", async () => {
            putReady();
            await wait([], new AbortController().signal);
            await api.watchesClosed();
        });
    });

    const recorded: Omit<JobStatusOutputs, keyof JobStatusInputs> = {
        phase: "ready",
        output: "x",
        nodes: { 0: "n" },
        timings: { quorum: 1 },
        slowest: "",
        schemaVersion: 1,
    };
    /** As the host gives them: without what is undefined. */
    const outputsOf = (overrides: Partial<JobStatusOutputs> = {}): JobStatusOutputs =>
        JSON.parse(JSON.stringify({ ...inputsOf(), ...recorded, ...overrides }));

    describe("diff", () => {
        const cases: [string, Partial<JobStatusOutputs>, Partial<JobStatusInputs>, boolean][] = [
            ["nothing", {}, {}, false],
            ["nothing but the URN", {}, { resourceUrn: "urn:b" }, false],
            ["another Job", {}, { job: "hpc/lammps/new" }, true],
            ["a Job that isn't known yet", {}, { job: UNKNOWN }, true],
            ["another size", {}, { size: 9 }, true],
            ["a suspension", {}, { suspend: true }, true],
            ["another goal", {}, { waitFor: "none" }, true],
            ["other timeouts", {}, { timeouts: { ...TIMEOUTS, ready: 1 } }, true],
            ["an output that is to be encrypted", {}, { secretOutput: true }, true],
            ["other credentials", {}, { kubeconfig: "other" }, true],
            ["a size that is left to another client from now on", {}, { autoscaled: true }, true],
            ["a goal that wasn't reached", { phase: "starting" }, {}, true],
            ["a wait that failed", { phase: "unknown" }, {}, true],
            [
                "a command that runs where its end is wanted",
                { phase: "running", waitFor: "completed" },
                { waitFor: "completed" },
                true,
            ],
            ["a command that has ended", { phase: "succeeded", waitFor: "completed" }, { waitFor: "completed" }, false],
            ["a command that failed", { phase: "failed", waitFor: "completed" }, { waitFor: "completed" }, true],
            ["a Job that is held as it should be", { phase: "suspended", suspend: true }, { suspend: true }, false],
            [
                "a Job in its queue that nothing is waited for",
                { phase: "queued", waitFor: "none" },
                { waitFor: "none" },
                false,
            ],
            ["a Job that its TTL has removed after its start", { phase: "expired" }, {}, false],
            [
                "a Job that its TTL has removed before its end was seen",
                { phase: "expired", waitFor: "completed" },
                { waitFor: "completed" },
                true,
            ],
            [
                "a command that ended before it could be held",
                { ...ephemeral, phase: "succeeded", suspend: true },
                { ...ephemeral, suspend: true },
                false,
            ],
            ["a TTL", {}, { expires: true }, true],
            ["a Job that nothing is waited for", { phase: "pending", waitFor: "none" }, { waitFor: "none" }, false],
        ];
        for (const [what, olds, news, expected] of cases) {
            it(`${expected ? "finds something to do" : "is content"} for ${what}`, async () => {
                const wanted = JSON.parse(JSON.stringify(inputsOf(news)));
                assert.deepEqual(await jobStatus.diff("id", outputsOf(olds), wanted), { changes: expected });
            });
        }
    });

    describe("update", () => {
        it("waits again for another size, and leaves the Job alone", async () => {
            putReady();
            const { outs } = await jobStatus.update("hpc/lammps", outputsOf({ size: 1 }), inputsOf());
            assert.deepEqual([outs.phase, outs.size], ["ready", 2]);
            assert.ok(!api.requests.some((request) => /^(PATCH|DELETE|PUT)/.test(request)));
        });

        it("only takes over settings, without asking anybody", async () => {
            const { outs } = await jobStatus.update("hpc/lammps", outputsOf(), inputsOf({ maxBytes: 1 }));
            assert.deepEqual([outs.maxBytes, outs.output], [1, "x"]);
            assert.deepEqual(api.requests, []);
        });

        describe("of a Job that its TTL has removed", () => {
            const started = { ephemeral: true, expires: true, output: "hello\n" };
            beforeEach(() => api.remove("jobs", "lammps"));
            const update = (olds: Partial<JobStatusOutputs>, news: Partial<JobStatusInputs> = {}) =>
                jobStatus.update(
                    "hpc/lammps",
                    outputsOf({ ...started, ...olds }),
                    inputsOf({ ephemeral: true, expires: true, ...news }),
                );

            for (const waitFor of ["none", "ready"]) {
                it(`succeeds and keeps what was recorded where waitFor is ${waitFor}`, async () => {
                    const { outs } = await update({ phase: "gone", waitFor }, { waitFor });
                    assert.deepEqual([outs.phase, outs.output, outs.nodes], ["expired", "hello\n", { 0: "n" }]);
                    assert.deepEqual(await jobStatus.diff("id", outs, outs), { changes: false });
                });
            }

            for (const waitFor of ["none", "ready"]) {
                it(`is still expired where the update takes the TTL away, and waitFor is ${waitFor}`, async () => {
                    const { outs } = await update({ phase: "running", waitFor }, { expires: undefined, waitFor });
                    const { props = outs } = await jobStatus.read("hpc/lammps", outs);
                    const later = await jobStatus.update("hpc/lammps", props, { ...props, size: 3 });
                    assert.deepEqual([outs.phase, props.phase, later.outs.phase], ["expired", "expired", "expired"]);
                });
            }

            it("keeps a success, whatever is waited for again", async () => {
                const olds = { ...ephemeral, phase: "succeeded", exitCode: 0 } as const;
                const { outs } = await update(olds, { ...ephemeral, size: 3 });
                assert.deepEqual([outs.phase, outs.exitCode, outs.output, outs.size], ["succeeded", 0, "hello\n", 3]);
            });

            it("fails for a run that failed, and keeps its record", async () => {
                const { message, properties } = await failureOf(
                    update({ ...ephemeral, phase: "failed", exitCode: 3 }, ephemeral),
                );
                assert.equal(message, "lammps: The run failed, and its Job is gone. Change triggers to run it again.");
                assert.deepEqual([properties.phase, properties.exitCode, properties.output], ["failed", 3, "hello\n"]);
            });
        });

        it("forgets settings that are no longer given, so that the next preview is empty", async () => {
            const { outs } = await jobStatus.update("hpc/lammps", outputsOf({ context: "old" }), inputsOf());
            assert.ok(!("context" in outs));
            const news = JSON.parse(JSON.stringify(inputsOf()));
            assert.deepEqual(await jobStatus.diff("id", JSON.parse(JSON.stringify(outs)), news), { changes: false });
        });
    });

    describe("read", () => {
        const read = (overrides: Partial<JobStatusOutputs> = {}) => jobStatus.read("hpc/lammps", outputsOf(overrides));

        it("keeps what was recorded while pods come and go", async () => {
            const { inputs, props } = await read();
            assert.deepEqual(props, JSON.parse(JSON.stringify(outputsOf())));
            assert.deepEqual(inputs, JSON.parse(JSON.stringify(inputsOf())));
        });

        const phases: [string, object, object, Partial<JobStatusOutputs>, string][] = [
            ["a Job that failed since", { conditions: [{ type: "Failed", status: "True" }] }, {}, {}, "failed"],
            ["a Job that completed since", { conditions: [{ type: "Complete", status: "True" }] }, {}, {}, "succeeded"],
            [
                "a Job that is held",
                { conditions: [{ type: "Suspended", status: "True" }] },
                { suspend: true },
                {},
                "suspended",
            ],
            [
                "a Job that its queue holds",
                { conditions: [{ type: "Suspended", status: "True" }] },
                { suspend: true },
                { queued: true },
                "queued",
            ],
            ["a Job that was resumed", {}, {}, { phase: "suspended" }, "starting"],
            ["a cluster that somebody resized", {}, { parallelism: 7 }, {}, "starting"],
            ["a cluster that an autoscaler may resize", {}, { parallelism: 7 }, { autoscaled: true }, "ready"],
            ["a command whose end the Job hasn't told yet", {}, {}, { phase: "succeeded" }, "succeeded"],
        ];
        for (const [what, status, spec, overrides, expected] of phases) {
            it(`tells of ${what}`, async () => {
                putJob(status, spec);
                assert.equal((await read(overrides)).props?.phase, expected);
            });
        }

        it("tells that the Job is gone, unless it had ended", async () => {
            api.remove("jobs", "lammps");
            assert.equal((await read()).props?.phase, "gone");
            assert.equal((await read({ phase: "succeeded" })).props?.phase, "succeeded");
        });

        it("tells that the TTL has removed the Job of a command, but not a cluster without one", async () => {
            api.remove("jobs", "lammps");
            const expires = { expires: true, phase: "running" } as const;
            assert.equal((await read({ ...expires, ephemeral: true })).props?.phase, "expired");
            assert.equal((await read({ ...expires, ephemeral: true, phase: "failed" })).props?.phase, "failed");
            assert.equal((await read(expires)).props?.phase, "gone");
        });

        describe("where nothing is waited for", () => {
            const none = { waitFor: "none", output: "", phase: "pending", nodes: {} } as const;

            it("records what a wait would", async () => {
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

            it("records the exit code and the output of a command that has ended", async () => {
                putPod(0, ended(3), false, "Failed");
                api.logs.set("lammps-0-abcde", "hello\n");
                putJob({ conditions: [{ type: "Failed", status: "True" }] });
                const { props } = await read({ ...none, ephemeral: true, phase: "running" });
                assert.deepEqual([props?.phase, props?.exitCode, props?.output], ["failed", 3, "hello\n"]);
            });

            it("is queued as long as its queue holds it", async () => {
                putJob({}, { suspend: true });
                const { props } = await read({ ...none, queued: true, phase: "queued" });
                assert.deepEqual(props, outputsOf({ ...none, queued: true, phase: "queued" }));
            });
        });

        it("records the exit code and the output of a command that has ended since the wait", async () => {
            putPod(0, ended(0), false, "Succeeded");
            api.logs.set("lammps-0-abcde", "done\n");
            putJob({ conditions: [{ type: "Complete", status: "True" }] });
            const { props } = await read({ ...ephemeral, phase: "running", output: "" });
            assert.deepEqual([props?.phase, props?.exitCode, props?.output], ["succeeded", 0, "done\n"]);
        });

        it("takes another Job of that name for gone", async () => {
            assert.equal((await read({ job: "hpc/lammps/other" })).props?.phase, "gone");
        });

        it("fails where it isn't allowed to look", async () => {
            api.fail(/jobs\/lammps/, 403, { message: "cannot get jobs", times: 9 });
            await assert.rejects(read(), { message: "Job hpc/lammps can't be read: cannot get jobs" });
        });
    });

    it("deletes nothing: the Job is not its own", async () => {
        await jobStatus.delete("hpc/lammps", outputsOf());
        assert.deepEqual(api.requests, []);
    });
});
