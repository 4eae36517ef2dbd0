import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { mock } from "node:test";

import { CoreV1Api } from "@kubernetes/client-node";

import { leadSelector } from "../../../../provider/contract/labels";
import type { KubernetesObject } from "../../../../provider/contract/object";
import { ARCHIVE_DIR } from "../../../../provider/contract/paths";
import { describeEnd } from "../../../../provider/fluxSubmission/failure";
import type { FluxSubmissionInputs, FluxSubmissionOutputs } from "../../../../provider/fluxSubmission/properties";
import { fluxSubmission } from "../../../../provider/fluxSubmission/verbs";
import { awaitLead, wakingOnce } from "../../../../provider/flux/lead";
import { connect } from "../../../../provider/kubernetes/client";
import { connectError, exitCodeOf } from "../../../../provider/kubernetes/streams/exec";
import { QUEUED } from "../../../../provider/observe/pods/lead";
import { UNKNOWN } from "../../../../provider/host/unknown";
import { putLeadService, useApi } from "../../support/fakeApi";
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

        it("finds no change for a job that has succeeded", async () => {
            assert.deepEqual(await diff({}, { resourceUrn: "another" }), kept(false));
        });

        const different: [keyof FluxSubmissionInputs, unknown][] = [
            ["command", ["id"]],
            ["nodes", 2],
            ["tasks", 2],
            ["coresPerTask", 2],
            ["gpusPerTask", 1],
            ["after", [{ jobId: "f1" }]],
            ["requires", "rank:0"],
            ["shellOptions", { pmi: "pmix" }],
            ["environment", { A: "1" }],
            ["secretEnvironment", { A: "1" }],
            ["timeLimit", 60],
            ["triggers", [1]],
            ["workingDirectory", "/data"],
            ["nonce", "n1"],
            ["cluster", { name: "lammps", namespace: "hpc", uid: "another" }],
            ["cluster", UNKNOWN],
        ];
        for (const [name, value] of different) {
            it(`submits again if ${name} becomes ${JSON.stringify(value)}`, async () => {
                assert.deepEqual(await diff({}, { [name]: value }), replaced(name));
            });
        }

        it("finds no change if a job of after has ended meanwhile", async () => {
            const [olds, news] = [
                { jobId: "f1", phase: "pending" },
                { jobId: "f1", phase: "succeeded" },
            ];
            assert.deepEqual(await diff({ after: [olds] }, { after: [news] }), kept(false));
        });

        it("treats a cluster without a UID as the same cluster", async () => {
            assert.deepEqual(await diff({}, { cluster: { name: "lammps", namespace: "hpc" } }), kept(false));
        });

        it("stores other settings without a new job", async () => {
            assert.deepEqual(await diff({}, { maxBytes: 1 }), kept(true));
            assert.deepEqual(
                await diff({ phase: "pending", wait: false }, { wait: false, kubeconfig: "x" }),
                kept(true),
            );
        });

        it("resumes the wait if a job hasn't ended and wait is true", async () => {
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

    describe("without a ready cluster", () => {
        const api = useApi();

        const submission = (overrides: Partial<FluxSubmissionOutputs> = {}) =>
            makeSubmitted({ kubeconfig: api.kubeconfig, ...overrides });
        const putJob = (uid = "job-uid", spec: object = {}, status: object = {}) =>
            api.put("jobs", { metadata: { name: "lammps", uid }, spec, status });
        const complete = { conditions: [{ type: "Complete", status: "True" }] };

        it("treats the job as gone if the cluster is gone", async () => {
            putLeadService(api);
            assert.deepEqual(await fluxSubmission.read("id", submission()), {});
            putJob("another");
            assert.deepEqual(await fluxSubmission.read("id", submission()), {});
            await fluxSubmission.delete("id", submission());
        });

        const elsewhere: [string, Partial<FluxSubmissionOutputs>, () => void][] = [
            ["neither its Job nor its Service", {}, () => undefined],
            [
                "another cluster of its name",
                {},
                () => {
                    putJob("another");
                    api.put("services", { metadata: { name: "lammps-lead", uid: "another" } });
                },
            ],
            ["no Job, and an earlier release has recorded no Service", { lead: undefined }, () => putLeadService(api)],
            [
                "a proxy that answers 404",
                {},
                () => {
                    putJob();
                    api.fail(/./, 404, { times: 99, reason: "NotFound" });
                },
            ],
        ];
        for (const [what, recorded, put] of elsewhere) {
            it(`neither forgets nor drops a job that may run in another cluster, if this one has ${what}`, async () => {
                put();
                const running = submission({ phase: "running", ...recorded });
                const read = await fluxSubmission.read("id", running).catch((error: Error) => error);
                assert.ok(read instanceof Error || read.props?.phase === "running");
                await assert.rejects(
                    fluxSubmission.delete("id", running),
                    /^Error: Flux job f26Zqx can't be removed: /,
                );
                const waiting = fluxSubmission.update(
                    "id",
                    running,
                    makeSubmission({ kubeconfig: api.kubeconfig, timeouts: { ready: 0 } }),
                );
                await assert.rejects(waiting, (error: Error & { properties: FluxSubmissionOutputs }) => {
                    assert.equal(error.properties.phase, "unknown");
                    return true;
                });
            });
        }

        it("drops such a job if the user allows it, or if it has ended", async () => {
            await fluxSubmission.delete("id", submission());
            process.env["PULUMI_K8S_DELETE_UNREACHABLE"] = "true";
            try {
                await fluxSubmission.delete("id", submission({ phase: "running" }));
            } finally {
                delete process.env["PULUMI_K8S_DELETE_UNREACHABLE"];
            }
        });

        it("learns the Service of its cluster in a refresh, which an earlier release has not recorded", async () => {
            api.put("jobs", {
                metadata: {
                    name: "lammps",
                    uid: "job-uid",
                    ownerReferences: [{ kind: "Service", uid: "service-uid" }],
                },
                spec: { suspend: true },
            });
            const { props } = await fluxSubmission.read("id", submission({ lead: undefined }));
            assert.deepEqual(props?.lead, { uid: "service-uid" });
        });

        it("keeps the job if credentials that are refused and current ones only have the address in common", async () => {
            const { KUBECONFIG } = process.env;
            const folder = mkdtempSync(join(tmpdir(), "submission-"));
            process.env.KUBECONFIG = join(folder, "config");
            writeFileSync(process.env.KUBECONFIG, api.kubeconfig);
            api.accepts = (header) => header !== "Bearer expired";
            const expired = submission({ kubeconfig: api.kubeconfig.replace("token-of-the-test", "expired") });
            try {
                await assert.rejects(fluxSubmission.read("id", expired), /can't be read: HTTP status 401/);
                await assert.rejects(fluxSubmission.delete("id", expired), /can't be removed: HTTP status 401/);
                putJob("job-uid", { suspend: true });
                await fluxSubmission.delete("id", expired);
            } finally {
                process.env.KUBECONFIG = KUBECONFIG;
                if (KUBECONFIG === undefined) {
                    delete process.env.KUBECONFIG;
                }
                rmSync(folder, { recursive: true });
            }
        });

        it("treats the job as gone if the cluster has ended before it", async () => {
            putJob("job-uid", {}, complete);
            assert.deepEqual(await fluxSubmission.read("id", submission({ phase: "running" })), {});
            const { props } = await fluxSubmission.read("id", submission());
            assert.equal(props?.phase, "succeeded");
        });

        it("keeps the job's state while the cluster has no lead", async () => {
            putJob("job-uid", { suspend: true });
            const { inputs, props } = await fluxSubmission.read("id", submission({ phase: "running" }));
            assert.deepEqual(props, JSON.parse(JSON.stringify(submission({ phase: "running" }))));
            assert.deepEqual(inputs, makeSubmission({ kubeconfig: api.kubeconfig }));
            await fluxSubmission.delete("id", submission({ phase: "running" }));
        });

        describe("delete", () => {
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

            it("fails if the queue will come back from its archive", async () => {
                putJob("job-uid", { suspend: true, ...archived });
                await assert.rejects(remove(), (error: Error) => {
                    assert.match(
                        error.message,
                        /^Flux job f26Zqx can't be removed: MiniCluster hpc\/lammps is not ready: the cluster is suspended\./,
                    );
                    assert.match(error.message, /Let the cluster run and try again, or .* pulumi state delete$/);
                    return true;
                });
                putJob("job-uid", archived);
                await assert.rejects(
                    remove(),
                    /is not ready within 0 s \(timeouts\.ready\): the lead has no quorum yet\. Its queue is kept/,
                );
            });

            it("fails without a wait if a queue of Kueue hasn't admitted the lead", async () => {
                putJob("job-uid", archived);
                api.put("pods", {
                    metadata: {
                        name: "lammps-0-x",
                        labels: leadSelector("lammps"),
                        ownerReferences: [{ uid: "job-uid" }],
                    },
                    spec: { schedulingGates: [{ name: "kueue.x-k8s.io/elastic-job" }] },
                    status: { phase: "Pending" },
                });
                await assert.rejects(remove({ timeouts: { ready: 60 } }), new RegExp(`is not ready: ${QUEUED}`));
            });

            it("wakes a cluster that sleeps, whose queue may have the job", async () => {
                const asleep = { "flux-minicluster/asleep": "2026-01-01T00:00:00Z" };
                const job = { metadata: { name: "lammps", uid: "job-uid", annotations: asleep } };
                api.put("jobs", { ...job, spec: { suspend: true, ...archived } });
                const removing = assert.rejects(remove({ timeouts: { ready: 1 } }), /the lead has no quorum yet/);
                await api.seen(/PATCH/);
                const { metadata, spec } = api.get("jobs", "lammps") as KubernetesObject;
                assert.deepEqual([metadata.annotations, spec.suspend], [{}, false]);
                await removing;
            });

            it("wakes its cluster once for a wait, because a cluster that sleeps again can't start the job", async () => {
                const asleep = { "flux-minicluster/asleep": "2026-01-01T00:00:00Z" };
                const sleep = () => {
                    const metadata = { name: "lammps", uid: "job-uid", annotations: asleep };
                    api.put("jobs", { metadata, spec: { suspend: true, ...archived } });
                };
                const cluster = { name: "lammps", namespace: "hpc" };
                const { signal } = new AbortController();
                const kube = connect({ kubeconfig: api.kubeconfig });
                const waiting = wakingOnce({ kube, cluster, report: () => undefined, signal });
                sleep();
                await assert.rejects(
                    awaitLead(waiting, 0),
                    /^Error: the lead has no quorum yet; the wait ended after 0 s$/,
                );
                sleep();
                await assert.rejects(awaitLead(waiting, 0), /the cluster sleeps again, because the job can't start/);
            });

            it("fails if the lead runs but isn't ready", async () => {
                putJob();
                putPod();
                await assert.rejects(remove(), /the lead has no quorum yet/);
            });

            it("succeeds if the job had ended, or if the cluster ends", async () => {
                putJob("job-uid", { suspend: true, ...archived });
                await remove({ phase: "succeeded" });
                await remove({ phase: "failed" });
                putJob("job-uid", archived);
                const removing = remove({ timeouts: { ready: 300 } });
                await api.seen(/pods/);
                putJob("job-uid", archived, complete);
                await removing;
            });

            it("succeeds if the queue was lost with the lead", async () => {
                putJob();
                await remove();
            });

            it("fails if another cluster answers which pods there are", async () => {
                putJob();
                const list = mock.method(CoreV1Api.prototype, "listNamespacedPod", () => {
                    api.remove("jobs", "lammps");
                    api.remove("services", "lammps-lead");
                    return Promise.resolve({ items: [] });
                });
                await assert.rejects(remove(), /is in the cluster at|is not in the cluster at/);
                list.mock.restore();
            });

            it("fails when the lead hasn't answered for timeouts.ready", async () => {
                putJob();
                const pod = putPod();
                const ready = { type: "Ready", status: "True", lastTransitionTime: new Date().toISOString() };
                api.put("pods", { ...pod, status: { phase: "Running", conditions: [ready] } });
                api.fail(/exec/, 500, { times: 99 });
                await assert.rejects(remove(), /^Error: Flux job f26Zqx can't be removed: .*HTTP status 500/);
            });
        });

        it("fails to submit the job, and says why", async () => {
            const inputs = makeSubmission({ kubeconfig: api.kubeconfig, timeouts: { ready: 0 } });
            const text = (why: string) => `The job can't be submitted to MiniCluster hpc/lammps: ${why}.`;
            await assert.rejects(
                fluxSubmission.create(inputs),
                /^Error: The job can't be submitted to MiniCluster hpc\/lammps: Job hpc\/lammps \(UID job-uid\) is not in the/,
            );
            const named = { ...inputs, cluster: { name: "lammps", namespace: "hpc" } };
            await assert.rejects(fluxSubmission.create(named), { message: text("the cluster does not exist") });
            putJob("job-uid", {}, complete);
            await assert.rejects(fluxSubmission.create(inputs), {
                message: text("the cluster has ended and takes no jobs"),
            });
            putJob("job-uid");
            await assert.rejects(fluxSubmission.create(inputs), {
                message: text("the lead has no quorum yet; the wait ended after 0 s (timeouts.ready)"),
            });
        });
    });
});

describe("describeEnd", () => {
    const job = { ...makeSubmission({ timeouts: { ready: 300, completed: 60 } }), jobId: "f26Zqx" };
    const failed = { phase: "failed" as const, exitCode: 3, reason: "exit code 3", over: true };
    const what = "Flux job f26Zqx of MiniCluster hpc/lammps";

    it("says why a job failed, with the end of its output", () => {
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

    it("says what happens to a job whose wait has ended", () => {
        assert.equal(
            describeEnd({ output: "", unfinished: "interrupted" }, "running", job),
            `The wait for ${what} was interrupted (phase: running). The next update resumes the wait.`,
        );
        assert.equal(
            describeEnd({ output: "", unfinished: "timeout" }, "running", job),
            `${what} has not finished within 60 s (timeouts.completed). It is not cancelled; the next update resumes the wait.`,
        );
        assert.equal(
            describeEnd({ output: "" }, "lost", job),
            `${what} was lost: its cluster has no record of it. The next update submits it again.`,
        );
    });
});

describe("the result of a command in a container", () => {
    it("has an exit code", () => {
        assert.equal(exitCodeOf({ status: "Success" }), 0);
        const details = { causes: [{ reason: "ExitCode", message: "7" }] };
        assert.equal(exitCodeOf({ status: "Failure", reason: "NonZeroExitCode", details }), 7);
        assert.throws(() => exitCodeOf({ status: "Failure", message: "container not found" }), {
            message: "container not found",
        });
    });

    it("names the missing right", () => {
        const refused = { pod: "lammps-0-x", server: "https://api" };
        const error = connectError({ message: "Unexpected server response: 403" }, refused) as Error & { code: number };
        assert.deepEqual(
            [error.code, error.message],
            [403, "a command can't be run in pod lammps-0-x: HTTP status 403; the right to create pods/exec is needed"],
        );
        const cause = Object.assign(new Error("refused"), { code: "ECONNREFUSED" });
        assert.equal(connectError({ message: "refused", error: cause }, refused), cause);
    });
});
