import assert from "node:assert/strict";

import { leadSelector } from "../../../../provider/contract/names";
import { ARCHIVE_DIR } from "../../../../provider/contract/paths";
import { describeEnd } from "../../../../provider/fluxSubmission/failure";
import type { FluxSubmissionInputs, FluxSubmissionOutputs } from "../../../../provider/fluxSubmission/resource";
import { fluxSubmission } from "../../../../provider/fluxSubmission/verbs";
import { fluxTicket } from "../../../../provider/fluxTicket/verbs";
import { connectError, exitCodeOf } from "../../../../provider/kube/exec";
import { UNKNOWN } from "../../../../provider/unknown";
import { FakeApi } from "../../support/fakeApi";
import { makeSubmission, makeSubmitted } from "../../support/submissions";

describe("fluxSubmission", () => {
    const { log } = console;

    beforeEach(() => {
        console.log = () => undefined;
    });

    afterEach(() => {
        console.log = log;
    });

    describe("diff", () => {
        const diff = (olds: Partial<FluxSubmissionOutputs>, news: Partial<FluxSubmissionInputs>) =>
            fluxSubmission.diff("hpc/lammps/f26Zqx", makeSubmitted(olds), makeSubmission(news));
        const replaced = (...replaces: string[]) => ({ changes: true, replaces, deleteBeforeReplace: true });
        const kept = (changes: boolean) => ({ changes, replaces: [], deleteBeforeReplace: true });

        it("finds nothing to do for a job that has succeeded", async () => {
            assert.deepEqual(await diff({}, { resourceUrn: "another" }), kept(false));
        });

        const different: [keyof FluxSubmissionInputs, unknown][] = [
            ["command", ["id"]],
            ["nodes", 2],
            ["tasks", 2],
            ["cores", 2],
            ["gpus", 1],
            ["environment", { A: "1" }],
            ["secretEnvironment", { A: "1" }],
            ["timeLimit", 60],
            ["triggers", [1]],
            ["workingDirectory", "/data"],
            ["jobName", "other"],
            ["nonce", "n1"],
            ["cluster", { name: "lammps", namespace: "hpc", uid: "another" }],
            ["cluster", UNKNOWN],
            ["command", UNKNOWN],
        ];
        for (const [name, value] of different) {
            it(`submits anew where ${name} becomes ${JSON.stringify(value)}`, async () => {
                assert.deepEqual(await diff({}, { [name]: value }), replaced(name));
            });
        }

        it("takes a cluster without a UID for the same one", async () => {
            assert.deepEqual(await diff({}, { cluster: { name: "lammps", namespace: "hpc" } }), kept(false));
        });

        it("takes over other settings", async () => {
            assert.deepEqual(await diff({}, { maxBytes: 1 }), kept(true));
            assert.deepEqual(
                await diff({ phase: "pending", wait: false }, { wait: false, kubeconfig: "x" }),
                kept(true),
            );
        });

        it("waits on where a job hasn't ended, if it is to be waited for", async () => {
            assert.deepEqual(await diff({ phase: "running" }, {}), kept(true));
            assert.deepEqual(await diff({ phase: "pending", wait: false }, {}), kept(true));
            assert.deepEqual(await diff({ phase: "pending", wait: false }, { wait: false }), kept(false));
        });

        it("submits a failed or lost job again", async () => {
            assert.deepEqual(await diff({ phase: "failed" }, {}), replaced("phase"));
            assert.deepEqual(await diff({ phase: "lost" }, { rerunFailed: false }), replaced("phase"));
            assert.deepEqual(await diff({ phase: "failed" }, { rerunFailed: false }), kept(true));
        });
    });

    describe("where its cluster is away", () => {
        let api: FakeApi;

        beforeEach(async () => {
            api = await FakeApi.start();
        });

        afterEach(() => api.stop());

        const submission = (overrides: Partial<FluxSubmissionOutputs> = {}) =>
            makeSubmitted({ kubeconfig: api.kubeconfig, ...overrides });
        const putJob = (uid = "job-uid", spec: object = {}, status: object = {}) =>
            api.put("jobs", { metadata: { name: "lammps", uid }, spec, status });
        const complete = { conditions: [{ type: "Complete", status: "True" }] };

        it("is gone with it", async () => {
            assert.deepEqual(await fluxSubmission.read("id", submission()), {});
            putJob("another");
            assert.deepEqual(await fluxSubmission.read("id", submission()), {});
            await fluxSubmission.delete("id", submission());
        });

        it("is gone when the cluster has ended before it", async () => {
            putJob("job-uid", {}, complete);
            assert.deepEqual(await fluxSubmission.read("id", submission({ phase: "running" })), {});
            const { props } = await fluxSubmission.read("id", submission());
            assert.equal(props?.phase, "succeeded");
        });

        it("stays as it was while the cluster has no rank 0", async () => {
            putJob("job-uid", { suspend: true });
            const { inputs, props } = await fluxSubmission.read("id", submission({ phase: "running" }));
            assert.deepEqual(props, JSON.parse(JSON.stringify(submission({ phase: "running" }))));
            assert.deepEqual(inputs, makeSubmission({ kubeconfig: api.kubeconfig }));
            await fluxSubmission.delete("id", submission({ phase: "running" }));
        });

        describe("and it is to be removed", () => {
            const archived = {
                template: {
                    spec: {
                        containers: [
                            { name: "flux", volumeMounts: [{ mountPath: ARCHIVE_DIR, name: "flux-archive" }] },
                        ],
                    },
                },
            };
            const putPod = () =>
                api.put("pods", {
                    metadata: {
                        name: "lammps-0-x",
                        labels: leadSelector("lammps"),
                        ownerReferences: [{ uid: "job-uid" }],
                    },
                    status: { phase: "Running", conditions: [] },
                });
            const remove = (overrides: Partial<FluxSubmissionOutputs> = {}) =>
                fluxSubmission.delete("id", submission({ phase: "running", timeouts: { ready: 0 }, ...overrides }));

            it("is not, where the queue comes back from its archive", async () => {
                putJob("job-uid", { suspend: true, ...archived });
                await assert.rejects(remove(), (error: Error) => {
                    assert.match(
                        error.message,
                        /^Flux job f26Zqx can't be removed: MiniCluster hpc\/lammps is away, since it is suspended/,
                    );
                    assert.match(error.message, /Let the cluster run and try again, or .* pulumi state delete$/);
                    return true;
                });
                putJob("job-uid", archived);
                await assert.rejects(
                    remove(),
                    /is away for 0 s \(timeouts\.ready\), since rank 0 has no quorum yet, and its queue/,
                );
            });

            it("is not, where rank 0 runs and isn't ready", async () => {
                putJob();
                putPod();
                await assert.rejects(remove(), /rank 0 has no quorum yet/);
            });

            it("is done where the job had ended, or where the cluster ends meanwhile", async () => {
                putJob("job-uid", { suspend: true, ...archived });
                await remove({ phase: "succeeded" });
                await remove({ phase: "failed" });
                putJob("job-uid", archived);
                const removing = remove({ timeouts: { ready: 300 } });
                await api.seen(/pods/);
                putJob("job-uid", archived, complete);
                await removing;
            });

            it("is done where the queue was lost with rank 0", async () => {
                putJob();
                await remove();
            });

            it("is given up when rank 0 has not answered for timeouts.ready", async () => {
                putJob();
                const pod = putPod();
                const ready = { type: "Ready", status: "True", lastTransitionTime: new Date().toISOString() };
                api.put("pods", { ...pod, status: { phase: "Running", conditions: [ready] } });
                api.fail(/exec/, 500, { times: 99 });
                await assert.rejects(remove(), /^Error: Flux job f26Zqx can't be removed: .*HTTP status 500/);
            });
        });

        it("can't be submitted, and says why", async () => {
            const inputs = makeSubmission({ kubeconfig: api.kubeconfig, timeouts: { ready: 0 } });
            const text = (why: string) => `The job can't be submitted to MiniCluster hpc/lammps: ${why}.`;
            await assert.rejects(fluxSubmission.create(inputs), { message: text("it is not there") });
            putJob("job-uid", {}, complete);
            await assert.rejects(fluxSubmission.create(inputs), { message: text("it has ended, so it takes no jobs") });
            putJob("job-uid");
            await assert.rejects(fluxSubmission.create(inputs), {
                message: text("rank 0 has no quorum yet, after 0 s (timeouts.ready)"),
            });
        });
    });
});

describe("describeEnd", () => {
    const job = { ...makeSubmission({ timeouts: { ready: 300, completed: 60 } }), jobId: "f26Zqx" };
    const failed = { phase: "failed" as const, exitCode: 3, reason: "exit code 3", over: true };
    const what = "Flux job f26Zqx of MiniCluster hpc/lammps";

    it("says how a job failed, with the end of its output", () => {
        const output = Array.from({ length: 30 }, (_, index) => `line ${index}\n`).join("");
        const text = describeEnd({ progress: failed, output }, "failed", job);
        assert.ok(text?.startsWith(`${what} failed: exit code 3.\nThe end of its output:\n  line 10\n`), text);
    });

    it("shows nothing of a secret output", () => {
        assert.equal(
            describeEnd({ progress: failed, output: "hush" }, "failed", { ...job, secretOutput: true }),
            `${what} failed: exit code 3.`,
        );
    });

    it("says what becomes of a job whose wait is over", () => {
        assert.equal(
            describeEnd({ output: "", unfinished: "interrupted" }, "running", job),
            `The wait for ${what} was interrupted while it was running; the next update resumes it.`,
        );
        assert.equal(
            describeEnd({ output: "", unfinished: "timeout" }, "running", job),
            `${what} has not ended within 60 s (timeouts.completed) and goes on; the next update waits on.`,
        );
        assert.equal(
            describeEnd({ output: "" }, "lost", job),
            `${what} was lost: its cluster doesn't know it any more. The next update submits it again.`,
        );
    });
});

describe("fluxTicket", () => {
    it("has a nonce that Flux takes for a text, made once", async () => {
        const { id, outs } = await fluxTicket.create({});
        assert.match(outs.nonce, /^n[0-9a-f]{16}$/);
        assert.equal(id, outs.nonce);
        assert.deepEqual(await fluxTicket.diff(id, outs, {}), { changes: false });
        assert.equal((await fluxTicket.update(id, outs, {})).outs.nonce, outs.nonce);
        assert.deepEqual(await fluxTicket.read(id, outs), { id, props: outs, inputs: {} });
    });
});

describe("what a command in a container says", () => {
    it("has an exit code", () => {
        assert.equal(exitCodeOf({ status: "Success" }), 0);
        const details = { causes: [{ reason: "ExitCode", message: "7" }] };
        assert.equal(exitCodeOf({ status: "Failure", reason: "NonZeroExitCode", details }), 7);
        assert.throws(() => exitCodeOf({ status: "Failure", message: "container not found" }), {
            message: "container not found",
        });
    });

    it("names the right that is missing", () => {
        const error = connectError({ message: "Unexpected server response: 403" }, "lammps-0-x") as Error & {
            code: number;
        };
        assert.deepEqual(
            [error.code, error.message],
            [403, "a command can't be run in pod lammps-0-x: HTTP status 403; the right to create pods/exec is needed"],
        );
        const cause = Object.assign(new Error("refused"), { code: "ECONNREFUSED" });
        assert.equal(connectError({ message: "refused", error: cause }, "lammps-0-x"), cause);
    });
});
