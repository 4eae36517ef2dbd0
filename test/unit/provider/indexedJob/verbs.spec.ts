import assert from "node:assert/strict";

import type { PlainArgs } from "../../../../components/args";
import { Interrupt } from "../../../../components/features/update";
import type { IndexedJobInputs, IndexedJobOutputs } from "../../../../provider/indexedJob/properties";
import { indexedJob } from "../../../../provider/indexedJob/verbs";
import { creationOf } from "../../../../provider/observe/creation";
import { BRIEFLY } from "../../../../provider/kubernetes/client";
import { parseId } from "../../../../provider/kubernetes/jobId";
import { UNKNOWN } from "../../../../provider/host/unknown";
import { putLeadService, useApi } from "../../support/fakeApi";
import { makeInputs, makeLive, makeLiveFiles, NONCE } from "../../support/jobs";
import { newOperation } from "../../support/newOperation";
import { makePod } from "../../support/states";

const JOBS = "/apis/batch/v1/namespaces/hpc/jobs";

describe("indexedJob", () => {
    const api = useApi(putLeadService);

    // Outside these tests, each update has a process of its own.
    afterEach(newOperation);
    const inputsOf = (args: Partial<PlainArgs> = {}, overrides: Partial<IndexedJobInputs> = {}) =>
        makeInputs(args, { kubeconfig: api.kubeconfig, ...overrides });
    const create = (...args: Parameters<typeof inputsOf>) => indexedJob.create(inputsOf(...args));
    /** Without those for the ConfigMap, which configMapAndSecret.spec.ts tests. */
    const writes = () =>
        api.requests.filter((request) => !request.startsWith("GET") && !request.includes("/configmaps"));

    /** Puts a Job there that was made from these inputs, with a status. */
    function putLive(inputs: IndexedJobInputs, status: object = {}, metadata: object = {}): string {
        const live: any = makeLive(inputs, status);
        api.put("configmaps", makeLiveFiles(inputs));
        return api.put("jobs", { ...live, metadata: { ...live.metadata, ...metadata } }).metadata.uid!;
    }

    describe("create", () => {
        it("creates the Job and returns its identity at once, without waiting for pods", async () => {
            const { id, outs } = await create();
            const job = api.get("jobs", "lammps");
            assert.equal(id, `hpc/lammps/${job?.metadata.uid}`);
            assert.equal(job?.metadata.annotations["flux-minicluster/nonce"], NONCE);
            assert.deepEqual([outs.finished, outs.schemaVersion], [false, 1]);
            assert.equal(creationOf(job?.metadata.uid ?? ""), job?.metadata["creationTimestamp"]);
            assert.deepEqual(writes(), [`POST ${JOBS}`]);
        });

        it("sends fields that the Kubernetes client doesn't know", async () => {
            await create({ podTemplate: { spec: { fieldOfTomorrow: "on" } } });
            assert.equal(api.get("jobs", "lammps")?.spec.template.spec.fieldOfTomorrow, "on");
        });

        it("records what an admission webhook changed, so that a refresh finds no drift", async () => {
            api.admit = (object) =>
                object.kind === "Job" && (object.spec.template.spec.containers[0].image = "mirror.example/lammps:1");
            const { id, outs } = await create();
            const { inputs, props } = await indexedJob.read(id, outs);
            assert.deepEqual(inputs, JSON.parse(JSON.stringify(inputsOf())));
            assert.deepEqual(props, outs);
        });

        it("returns no undefined values, which the host can't send", async () => {
            const { outs } = await create({}, { secretVersion: undefined, context: undefined, triggers: undefined });
            assert.deepEqual(JSON.parse(JSON.stringify(outs)), outs);
            assert.ok(!("context" in outs));
        });

        it("keeps Pulumi's provider text among the outputs", async () => {
            const { outs } = await indexedJob.create({
                ...inputsOf(),
                __provider: "text",
            } as unknown as IndexedJobInputs);
            assert.equal((outs as any).__provider, "text");
        });

        it("adopts the same Job that an interrupted create has left", async () => {
            const uid = putLive(inputsOf());
            const { id } = await create();
            assert.equal(parseId(id).uid, uid);
            assert.deepEqual(writes(), []);
        });

        it("replaces another Job that an interrupted create has left", async () => {
            const uid = putLive(inputsOf({ image: "old" }));
            const { id } = await create();
            assert.notEqual(parseId(id).uid, uid);
            assert.deepEqual(writes(), [`DELETE ${JOBS}/lammps`, `POST ${JOBS}`]);
        });

        for (const [whose, nonce] of [
            ["of its own", NONCE],
            ["of another owner", "another"],
        ]) {
            it(`waits for the end of a Job ${whose} that is being deleted`, async () => {
                const uid = putLive(inputsOf({}, { nonce }), {}, { deletionTimestamp: new Date().toISOString() });
                const creating = create();
                await api.seen(/jobs.*watch=true/);
                api.remove("jobs", "lammps");
                assert.notEqual(parseId((await creating).id).uid, uid);
                assert.deepEqual(writes(), [`POST ${JOBS}`]);
            });
        }

        it("refuses a Job of another owner, and names the owner", async () => {
            api.put("jobs", { metadata: { name: "lammps", labels: { "app.kubernetes.io/managed-by": "Helm" } } });
            await assert.rejects(create(), {
                message:
                    "Job hpc/lammps exists and belongs to Helm. Give the MiniCluster another name or namespace, or delete that " +
                    "one with its Services. docs/troubleshooting.md tells how a stack takes over a Job.",
            });
            assert.deepEqual(writes(), []);
        });

        it("refuses the Job of another stack", async () => {
            putLive(inputsOf({}, { nonce: "feedfeedfeedfeed" }));
            await assert.rejects(create(), /belongs to another MiniCluster \(nonce feedfeedfeedfeed\)\./);
        });

        it("refuses a cluster without the lead Service", async () => {
            api.remove("services", "lammps-lead");
            await assert.rejects(create(), (error: Error) => {
                assert.match(
                    error.message,
                    /^Service hpc\/lammps-lead of the Kubernetes provider is not in the cluster at http:/,
                );
                return true;
            });
            assert.deepEqual(writes(), []);
        });

        it("refuses a lead Service that its provider has only written to a file", async () => {
            const lead = { name: "lammps-lead" } as IndexedJobInputs["lead"];
            await assert.rejects(
                indexedJob.create({ ...inputsOf(), lead }),
                /^Error: Service lammps-lead has no UID, /,
            );
            assert.deepEqual(api.requests, []);
        });

        it("refuses a cluster that has another Service of that name", async () => {
            api.put("services", { metadata: { name: "lammps-lead", uid: "other" } });
            await assert.rejects(create(), /MiniCluster and the provider use different clusters\./);
        });

        it("finds the Job if the answer to its creation is lost", async () => {
            api.fail(/^POST .*jobs/, "cutAfter");
            const { id } = await create();
            assert.equal(parseId(id).uid, api.get("jobs", "lammps")?.metadata.uid);
            assert.deepEqual(writes(), [`POST ${JOBS}`]);
        });

        it("reports why a Job can't be created", async () => {
            const message =
                'jobs.batch is forbidden: User "me" cannot create resource "jobs" in API group "batch" in the namespace "hpc"';
            api.fail(/^POST .*jobs/, 403, { message, reason: "Forbidden" });
            await assert.rejects(create(), { message: `Job hpc/lammps can't be created: ${message}` });
        });

        it("doesn't adopt a Job that another client has created first", async () => {
            api.fail(/^POST .*jobs/, 409, { message: 'jobs.batch "lammps" already exists', reason: "AlreadyExists" });
            await assert.rejects(create(), {
                message: `Job hpc/lammps can't be created: jobs.batch "lammps" already exists`,
            });
        });

        it("survives an API server that is overloaded or unavailable for a moment", async () => {
            api.fail(/^GET .*\/services/, 429);
            api.fail(/^GET .*\/jobs\/lammps/, 500);
            api.fail(/^GET .*\/jobs\/lammps/, "cut");
            await create();
            assert.ok(api.get("jobs", "lammps"));
        });
    });

    // With --replace or taint, Pulumi gives no old inputs to check.
    describe("replacement by hand", () => {
        const { log } = console;
        let said: string[];

        beforeEach(() => {
            said = [];
            console.log = (line: string) => said.push(line);
        });

        afterEach(() => {
            console.log = log;
        });

        const running = () => ({ active: 4, ready: 4, startTime: new Date(Date.now() - 10_800_000).toISOString() });
        const outputsOf = (inputs: IndexedJobInputs): IndexedJobOutputs => ({
            ...inputs,
            schemaVersion: 1,
            finished: false,
        });

        /** What the engine does: `check` without olds, no `diff`, and then a delete before the create. */
        async function replace(uid: string, inputs: IndexedJobInputs) {
            const { failures, inputs: checked } = await indexedJob.check({}, inputs);
            assert.deepEqual(failures, []);
            await indexedJob.delete(`hpc/lammps/${uid}`, outputsOf(inputs));
            return indexedJob.create(checked);
        }

        it("leaves one Job, with a new UID", async () => {
            const uid = putLive(inputsOf());
            const { id } = await replace(uid, inputsOf());
            assert.notEqual(parseId(id).uid, uid);
            assert.equal(api.get("jobs", "lammps")?.metadata.uid, parseId(id).uid);
            assert.deepEqual(writes(), [`DELETE ${JOBS}/lammps`, `POST ${JOBS}`]);
        });

        it("is refused while a command runs, which check announces", async () => {
            const uid = putLive(inputsOf(), running());
            const message =
                "Job hpc/lammps is not replaced, because its command has been running for 3 h 0 min in 4 pods. Wait until the command ends, or " +
                'set interrupt to "allow" to end it.';
            await assert.rejects(replace(uid, inputsOf()), { message });
            assert.match(
                said.join(),
                /to be replaced \(--replace, taint\), the update fails: Job hpc\/lammps is not replaced/,
            );
            assert.deepEqual(writes(), []);
        });

        it("ends a running command if interrupt allows it", async () => {
            const uid = putLive(inputsOf(), running());
            const { id } = await replace(uid, inputsOf({ interrupt: Interrupt.Allow }));
            assert.notEqual(parseId(id).uid, uid);
        });

        it("is refused by check while a command runs, if there is another change", async () => {
            putLive(inputsOf(), running());
            const { failures } = await indexedJob.check({}, inputsOf({ image: "other" }));
            assert.match(
                failures?.[0].reason ?? "",
                /^This change replaces the Job, but the Job's command has been running for 3 h 0 min/,
            );
        });

        it("isn't confused with an interrupted create, which adopts the running Job", async () => {
            const uid = putLive(inputsOf(), running());
            const { inputs } = await indexedJob.check({}, inputsOf());
            const { id, outs } = await indexedJob.create(inputs);
            assert.equal(parseId(id).uid, uid);
            // The next operation has another process. The Job is in the state, so it is deleted like any other.
            newOperation();
            await indexedJob.delete(id, outs);
            assert.deepEqual(writes(), [`DELETE ${JOBS}/lammps`]);
        });
    });

    it("adopts a Job that was run again when the update continues, without the lost reason", async () => {
        const rerun = "run 5eb31c13 failed: BackoffLimitExceeded";
        const uid = putLive(inputsOf({}, { rerun }));
        const { inputs } = await indexedJob.check({}, inputsOf());
        assert.equal(inputs.rerun, rerun);
        assert.equal(parseId((await indexedJob.create(inputs)).id).uid, uid);
    });

    describe("check", () => {
        const failed = {
            conditions: [{ type: "Failed", status: "True", reason: "BackoffLimitExceeded", message: "x" }],
        };
        const olds = () => ({ ...inputsOf() });

        it("asks only for the version before the first Job", async () => {
            const first = { ...inputsOf(), nonce: UNKNOWN };
            const { failures, inputs } = await indexedJob.check({}, first);
            assert.deepEqual([failures, inputs], [[], JSON.parse(JSON.stringify(first))]);
            assert.deepEqual(api.requests, ["GET /version"]);
        });

        it("gives the reason to run again for a replacement without the old inputs", async () => {
            const uid = putLive(inputsOf(), failed);
            const { inputs } = await indexedJob.check({}, inputsOf());
            assert.equal(inputs.rerun, `run ${uid.slice(0, 8)} failed: BackoffLimitExceeded`);
        });

        it("adds the failure of the last run as a reason to run again", async () => {
            const uid = putLive(inputsOf(), failed);
            const { inputs } = await indexedJob.check(olds(), inputsOf());
            assert.equal(inputs.rerun, `run ${uid.slice(0, 8)} failed: BackoffLimitExceeded`);
        });

        it("leaves a failed Job alone if rerunFailed is false", async () => {
            putLive(inputsOf(), failed);
            const { inputs } = await indexedJob.check(olds(), inputsOf({ rerunFailed: false }));
            assert.equal(inputs.rerun, undefined);
        });

        it("keeps the last reason, so that nothing changes", async () => {
            putLive(inputsOf());
            const { inputs } = await indexedJob.check({ ...olds(), rerun: "run 1 failed: X" }, inputsOf());
            assert.equal(inputs.rerun, "run 1 failed: X");
        });

        it("doesn't run again because another owner's Job failed", async () => {
            putLive(inputsOf({}, { nonce: "other" }), failed);
            assert.equal((await indexedJob.check(olds(), inputsOf())).inputs.rerun, undefined);
        });

        it("refuses to end a running command", async () => {
            putLive(inputsOf(), { active: 4, ready: 4, startTime: new Date(Date.now() - 10_800_000).toISOString() });
            const { failures } = await indexedJob.check(olds(), inputsOf({ image: "new" }));
            assert.deepEqual(failures, [
                {
                    property: "interrupt",
                    reason:
                        "This change replaces the Job, but the Job's command has been running for 3 h 0 min in 4 pods. " +
                        'Wait until the command ends, or set interrupt to "allow" to end it.',
                },
            ]);
        });

        it("refuses a patch that ends a running command", async () => {
            putLive(inputsOf(), { active: 4, ready: 4, startTime: new Date(Date.now() - 10_800_000).toISOString() });
            const { failures } = await indexedJob.check(olds(), inputsOf({ suspend: true }));
            assert.match(
                failures?.[0].reason ?? "",
                /^This change suspends the Job, but the Job's command has been running for 3 h 0 min in 4 pods\./,
            );
        });

        it("refuses an old Kubernetes before anything is created", async () => {
            api.version.minor = "30+";
            const { failures } = await indexedJob.check({}, inputsOf());
            assert.equal(failures?.[0].property, "");
            assert.match(failures?.[0].reason ?? "", /is 1\.30; 1\.31 is needed, because the lead decides/);
        });

        it("refuses an old Kubernetes also if the Job can't be read", async () => {
            api.version.minor = "30";
            api.fail(/jobs/, 403);
            const { failures } = await indexedJob.check(olds(), inputsOf());
            assert.match(failures?.[0].reason ?? "", /is 1\.30; 1\.31 is needed/);
        });

        it("reports that the context doesn't exist", async () => {
            const { failures } = await indexedJob.check({}, inputsOf({}, { context: "prod" }));
            // The failure names no property: the engine would print its value, and a kubeconfig has a token.
            assert.deepEqual(failures, [
                { property: "", reason: 'context "prod" is not in the kubeconfig; it has fake.' },
            ]);
        });

        it("names no property and quotes no line of a broken kubeconfig", async () => {
            const { failures } = await indexedJob.check(
                {},
                inputsOf({}, { kubeconfig: "users:\n- token: hush\n token: hush" }),
            );
            assert.deepEqual(failures, [
                {
                    property: "",
                    reason: "The kubeconfig can't be read: kubeconfig is not a kubeconfig in YAML or JSON, at line 3, column 2. Correct it.",
                },
            ]);
        });

        for (const fault of ["hang", "cut", 503] as const) {
            it(`passes after 10 s if the API server doesn't answer (${fault})`, async () => {
                const { timeout } = AbortSignal;
                AbortSignal.timeout = () => timeout(50);
                try {
                    api.fail(/./, fault, { times: 99 });
                    const { failures, inputs } = await indexedJob.check({ ...olds(), rerun: "r" }, inputsOf());
                    assert.deepEqual([failures, inputs.rerun], [undefined, "r"]);
                } finally {
                    AbortSignal.timeout = timeout;
                }
                // Both requests are tried at the same time.
                assert.equal(new Set(api.requests.slice(0, 2)).size, 2);
                assert.equal(api.requests.length, 2 * BRIEFLY.tries);
                assert.equal(BRIEFLY.tries * BRIEFLY.seconds, 10);
            });
        }

        it("sends no request while the credentials are unknown", async () => {
            const { inputs } = await indexedJob.check({ rerun: "r" }, inputsOf({}, { kubeconfig: UNKNOWN }));
            assert.equal(inputs.rerun, "r");
            assert.deepEqual(api.requests, []);
        });

        it("passes without any rights", async () => {
            api.fail(/./, 403, { times: 9 });
            assert.deepEqual((await indexedJob.check(olds(), inputsOf())).failures, undefined);
        });

        it("looks at the Job of the old name if the name changes", async () => {
            putLive(inputsOf(), { active: 4, ready: 4, startTime: new Date().toISOString() });
            const { failures } = await indexedJob.check(olds(), inputsOf({ name: "other" }));
            assert.equal(failures?.[0].property, "interrupt");
        });

        for (const unknown of ["manifest", "nonce"] as const) {
            it(`works in a preview in which ${unknown} is unknown`, async () => {
                putLive(inputsOf(), failed);
                const { failures, inputs } = await indexedJob.check(olds(), inputsOf({}, { [unknown]: UNKNOWN }));
                assert.deepEqual([failures, inputs[unknown]], [[], UNKNOWN]);
                assert.match(inputs.rerun ?? "", /^run \S+ failed: BackoffLimitExceeded$/);
            });
        }
    });

    describe("read", () => {
        const outputs = (
            args: Partial<PlainArgs> = {},
            overrides: Partial<IndexedJobOutputs> = {},
        ): IndexedJobOutputs => ({
            ...inputsOf(args),
            schemaVersion: 1,
            finished: false,
            ...overrides,
        });

        it("finds no change, and returns the inputs for Pulumi to compare", async () => {
            const id = `hpc/lammps/${putLive(inputsOf())}`;
            const { inputs, ...read } = await indexedJob.read(id, outputs());
            const createdAt = api.get("jobs", "lammps")?.metadata["creationTimestamp"];
            assert.deepEqual(read, { id, props: { ...JSON.parse(JSON.stringify(outputs())), createdAt } });
            assert.deepEqual(inputs, JSON.parse(JSON.stringify(inputsOf())));
        });

        it("shows what another client has changed", async () => {
            const id = `hpc/lammps/${putLive(inputsOf({ size: 9 }))}`;
            const { inputs, props } = await indexedJob.read(id, outputs({ size: 4 }));
            assert.equal(inputs?.manifest.spec.parallelism, 9);
            assert.equal(props?.manifest.spec.parallelism, 9);
        });

        for (const ttlSecondsAfterFinished of [undefined, 60]) {
            it(`treats a Job that is being deleted before its end as gone (TTL ${ttlSecondsAfterFinished})`, async () => {
                const args = { ttlSecondsAfterFinished };
                const id = `hpc/lammps/${putLive(inputsOf(args), {}, { deletionTimestamp: new Date().toISOString() })}`;
                assert.deepEqual(await indexedJob.read(id, outputs(args)), {});
            });
        }

        it("sees the failure of a Job that its TTL is about to remove", async () => {
            const args = { ttlSecondsAfterFinished: 60 };
            const conditions = [{ type: "Failed", status: "True", reason: "BackoffLimitExceeded" }];
            const id = `hpc/lammps/${putLive(inputsOf(args), { conditions }, { deletionTimestamp: new Date().toISOString() })}`;
            const { props } = await indexedJob.read(id, outputs(args));
            assert.deepEqual([props?.finished, props?.failure], [true, "BackoffLimitExceeded"]);
        });

        it("sees that the Job has ended", async () => {
            const id = `hpc/lammps/${putLive(inputsOf(), { conditions: [{ type: "Complete", status: "True" }] })}`;
            assert.equal((await indexedJob.read(id, outputs())).props?.finished, true);
        });

        it("remembers that the Job failed, so that it runs again even after its TTL removed it", async () => {
            const failed = { conditions: [{ type: "Failed", status: "True", reason: "BackoffLimitExceeded" }] };
            const ttl = { ttlSecondsAfterFinished: 60 };
            const id = `hpc/lammps/${putLive(inputsOf(ttl), failed)}`;
            const seen = (await indexedJob.read(id, outputs(ttl))).props!;
            api.remove("jobs", "lammps");
            const { props } = await indexedJob.read(id, seen);
            assert.equal(props?.failure, "BackoffLimitExceeded");
            const { inputs } = await indexedJob.check(inputsOf(ttl), inputsOf(ttl));
            assert.deepEqual((await indexedJob.diff(id, props, inputs)).replaces, ["rerun"]);
            assert.deepEqual((await indexedJob.diff(id, props, { ...inputs, rerunFailed: false })).replaces, []);
        });

        describe("after the TTL removed the Job unseen", () => {
            const ttl = { ttlSecondsAfterFinished: 60 };
            const unseen = (): IndexedJobOutputs => ({ ...outputs(), ...inputsOf(ttl), finished: false });
            const diff = (news = inputsOf(ttl)) => indexedJob.diff("hpc/lammps/job-uid", unseen(), news);
            const putEvent = (reason: string, uid = "job-uid") =>
                api.put("events", {
                    metadata: { name: `${reason}-${uid}` },
                    reason,
                    involvedObject: { kind: "Job", name: "lammps", uid },
                });

            it("runs the Job again if Events say that it failed", async () => {
                putEvent("SuccessfulCreate");
                putEvent("BackoffLimitExceeded");
                assert.deepEqual((await diff()).replaces, ["rerun"]);
                assert.deepEqual((await diff(inputsOf(ttl, { rerunFailed: false }))).replaces, []);
            });

            it("remembers in a refresh that the Job failed", async () => {
                putEvent("DeadlineExceeded");
                const { props } = await indexedJob.read("hpc/lammps/job-uid", unseen());
                assert.deepEqual([props?.finished, props?.failure], [true, "DeadlineExceeded"]);
            });

            const quiet: [string, () => void][] = [
                ["it succeeded", () => void putEvent("Completed")],
                ["only another Job failed", () => void putEvent("BackoffLimitExceeded", "other-uid")],
                ["no Event tells of it", () => undefined],
                [
                    "Events may not be read",
                    () => {
                        putEvent("BackoffLimitExceeded");
                        api.fail(/events/, 403, { times: 9 });
                    },
                ],
                [
                    "it still exists",
                    () => {
                        putEvent("BackoffLimitExceeded");
                        putLive(inputsOf(ttl), {}, { uid: "job-uid" });
                    },
                ],
            ];
            for (const [what, prepare] of quiet) {
                it(`leaves the Job alone if ${what}`, async () => {
                    prepare();
                    assert.deepEqual((await diff()).replaces, []);
                });
            }

            it("reads no Events until the API server answers check", async () => {
                putEvent("BackoffLimitExceeded");
                api.fail(/version|jobs/, 503, { times: 2 * BRIEFLY.tries });
                await indexedJob.check(inputsOf(ttl), inputsOf(ttl));
                const before = api.requests.length;
                assert.deepEqual((await diff()).replaces, []);
                assert.equal(api.requests.length, before);
                await indexedJob.check(inputsOf(ttl), inputsOf(ttl));
                assert.deepEqual((await diff()).replaces, ["rerun"]);
            });

            it("reads no Events of a Job without a TTL", async () => {
                putEvent("BackoffLimitExceeded");
                const olds = { ...unseen(), ...inputsOf() };
                assert.deepEqual((await indexedJob.diff("hpc/lammps/job-uid", olds, inputsOf())).replaces, []);
                assert.deepEqual(api.requests, []);
            });
        });

        it("reports that a Job is gone", async () => {
            assert.deepEqual(await indexedJob.read("hpc/lammps/1", outputs()), {});
        });

        // The kubeconfig may lead to another cluster, so the Job doesn't count as gone.
        for (const [what, change] of [
            ["has neither the Job nor its Service", () => api.remove("services", "lammps-lead")],
            [
                "has another Service of that name",
                () => api.put("services", { metadata: { name: "lammps-lead", uid: "other" } }),
            ],
            [
                "has another Job and another Service",
                () => {
                    putLive(inputsOf());
                    api.put("services", { metadata: { name: "lammps-lead", uid: "other" } });
                },
            ],
        ] as const) {
            it(`keeps a Job in the state if the cluster ${what}`, async () => {
                const { log } = console;
                console.log = () => undefined;
                change();
                const { id, props } = await indexedJob
                    .read("hpc/lammps/1", outputs())
                    .finally(() => (console.log = log));
                assert.deepEqual([id, props?.finished], ["hpc/lammps/1", false]);
            });
        }

        it("reports that a Job is gone if another Job has its name", async () => {
            putLive(inputsOf());
            assert.deepEqual(await indexedJob.read("hpc/lammps/1", outputs({}, { finished: true })), {});
        });

        for (const [what, kept] of [
            ["that had ended", () => outputs({}, { finished: true })],
            ["that has a TTL", () => outputs({ ttlSecondsAfterFinished: 60 })],
        ] as const) {
            it(`keeps a missing Job ${what}, which may have been removed in due course`, async () => {
                const { id, props } = await indexedJob.read("hpc/lammps/1", kept());
                assert.deepEqual([id, props?.finished], ["hpc/lammps/1", true]);
            });
        }

        it("fails without the right to read the Job, and doesn't treat it as gone", async () => {
            api.fail(/jobs\/lammps/, 403, { message: 'cannot get resource "jobs"', times: 9 });
            await assert.rejects(
                indexedJob.read("hpc/lammps/1", outputs()),
                /^Error: Job hpc\/lammps can't be read: cannot get resource "jobs"/,
            );
        });
    });

    describe("update", () => {
        it("patches the Job", async () => {
            const args = { size: 2, maxSize: 4 };
            const { id, outs } = await create(args);
            const { outs: after } = await indexedJob.update(id, outs, inputsOf({ size: 3, maxSize: 4 }));
            assert.equal(api.get("jobs", "lammps")?.spec.parallelism, 3);
            assert.equal(after.manifest.spec.completions, 3);
            assert.deepEqual(writes(), [`POST ${JOBS}`, `PATCH ${JOBS}/lammps`]);
        });

        it("doesn't patch a Job that is being deleted", async () => {
            const { id, outs } = await create();
            const job = api.get("jobs", "lammps")!;
            api.put("jobs", { ...job, metadata: { ...job.metadata, deletionTimestamp: new Date().toISOString() } });
            await assert.rejects(
                indexedJob.update(id, outs, inputsOf({ backoffLimit: 1 })),
                /was deleted by another client/,
            );
            assert.deepEqual(writes(), [`POST ${JOBS}`]);
        });

        it("leaves the size to another client that decides on it", async () => {
            const { id, outs } = await create({ size: 1, maxSize: 8 });
            const job = api.get("jobs", "lammps")!;
            api.put("jobs", { ...job, spec: { ...job.spec, completions: 6, parallelism: 6 } });
            const news = inputsOf({ size: 1, maxSize: 8, annotations: { note: "x" } }, { sizedBy: "autoscaler" });
            const { outs: after } = await indexedJob.update(id, outs, news);
            const { metadata, spec } = api.get("jobs", "lammps")!;
            assert.deepEqual([metadata.annotations.note, spec.completions, spec.parallelism], ["x", 6, 6]);
            assert.equal(after.sizedBy, "autoscaler");
        });

        it("doesn't patch a Job that is as wanted", async () => {
            const { id, outs } = await create();
            const { outs: after } = await indexedJob.update(id, outs, inputsOf({ timeouts: { delete: 7 } }));
            assert.equal(after.deleteTimeout, 7);
            assert.deepEqual(writes(), [`POST ${JOBS}`]);
        });

        it("drops settings that are no longer given", async () => {
            const { id, outs } = await create({}, { context: "fake" });
            const { outs: after } = await indexedJob.update(id, outs, inputsOf());
            assert.ok(!("context" in after));
        });

        it("fails if the Job is gone", async () => {
            const { outs } = await create();
            await assert.rejects(indexedJob.update("hpc/lammps/other", outs, inputsOf()), {
                message: "Job hpc/lammps was deleted by another client. Run pulumi refresh, then update again.",
            });
        });

        it("patches nothing if a finished Job was removed", async () => {
            const { outs } = await create();
            api.remove("jobs", "lammps");
            const { outs: after } = await indexedJob.update("hpc/lammps/1", { ...outs, finished: true }, inputsOf());
            assert.equal(after.finished, true);
        });
    });

    describe("update of a Job that its TTL may have removed", () => {
        const ttl = { ttlSecondsAfterFinished: 60 };
        const LONG_AGO = "2026-01-01T00:00:00.000Z";

        it("patches nothing, even before a refresh sees that", async () => {
            const { id, outs } = await create(ttl);
            api.remove("jobs", "lammps");
            const olds = { ...outs, createdAt: LONG_AGO };
            const { outs: after } = await indexedJob.update(id, olds, inputsOf({ ...ttl, annotations: { a: "1" } }));
            assert.equal(after.finished, true);
            assert.equal(after.manifest.metadata.annotations.a, "1");
        });

        it("fails before the TTL, when another client must have deleted the Job", async () => {
            const { id, outs } = await create(ttl);
            api.remove("jobs", "lammps");
            assert.deepEqual(await indexedJob.read(id, outs), {});
            await assert.rejects(indexedJob.update(id, outs, inputsOf({ ...ttl, backoffLimit: 1 })), {
                message: "Job hpc/lammps was deleted by another client. Run pulumi refresh, then update again.",
            });
        });

        it("fails in another cluster", async () => {
            const { id, outs } = await create(ttl);
            api.remove("jobs", "lammps");
            api.remove("services", "lammps-lead");
            await assert.rejects(
                indexedJob.update(id, outs, inputsOf({ ...ttl, backoffLimit: 1 })),
                /MiniCluster and the provider use different clusters\./,
            );
        });
    });

    it("adopts a resized Job that the state has lost", async () => {
        const { id, outs } = await create({ size: 2, maxSize: 4 });
        await indexedJob.update(id, outs, inputsOf({ size: 3, maxSize: 4 }));
        assert.equal((await create({ size: 3, maxSize: 4 })).id, id);
    });

    it("keeps the changes of a webhook in a Job that it adopts", async () => {
        api.admit = (object) =>
            object.kind === "Job" && ((object.spec.backoffLimit = 3), (object.metadata.generation = 1));
        await create();
        const { id, outs } = await create();
        assert.deepEqual((await indexedJob.read(id, outs)).props, outs);
        assert.deepEqual(writes(), [`POST ${JOBS}`]);
    });

    it("restores another client's labels on a Job that it adopts, and keeps those of a webhook", async () => {
        const args = { labels: { team: "ours", webhook: "ours" } };
        api.admit = (object) =>
            object.kind === "Job" && ((object.metadata.labels!.webhook = "theirs"), (object.metadata.generation = 1));
        await create(args);
        api.get("jobs", "lammps")!.metadata["labels"]!.team = "other";
        const { id, outs } = await create(args);
        assert.partialDeepStrictEqual(api.get("jobs", "lammps")?.metadata["labels"], { team: "ours" });
        assert.deepEqual((await indexedJob.read(id, outs)).props, outs);
    });

    describe("when it adopts a resized Job", () => {
        const args = { size: 2, maxSize: 4 };

        async function resized(status: object, more: Partial<PlainArgs> = {}): Promise<any> {
            await create({ ...args, ...more });
            const job = api.get("jobs", "lammps")!;
            api.put("jobs", { ...job, spec: { ...job.spec, completions: 4, parallelism: 4 }, status });
            const { id, outs } = await create({ ...args, ...more });
            const { props } = await indexedJob.read(id, outs);
            return { live: api.get("jobs", "lammps")?.spec.parallelism, seen: props?.manifest.spec.parallelism };
        }

        it("restores the size", async () => {
            assert.deepEqual(await resized({}), { live: 2, seen: 2 });
        });

        it("keeps the size while the command runs, and a refresh shows that", async () => {
            const status = { startTime: new Date().toISOString(), ready: 4, active: 4 };
            assert.deepEqual(await resized(status, { command: ["true"] }), { live: 4, seen: 4 });
        });
    });

    it("adopts a lost Job of any size if another client decides on the size", async () => {
        const resized = inputsOf({ size: 6, minSize: 1, maxSize: 8 }, { sizedBy: "autoscaler" });
        const uid = putLive(resized);
        const { id } = await create({ size: 1, minSize: 1, maxSize: 8 }, { sizedBy: "autoscaler" });
        assert.equal(parseId(id).uid, uid);
        assert.equal(api.get("jobs", "lammps")?.spec.parallelism, 6);
    });

    describe("delete", () => {
        it("deletes the Job after its pods and waits until it is gone", async () => {
            const { id, outs } = await create();
            api.holdDeletes = true;
            const deleting = indexedJob.delete(id, outs);
            await api.seen(/^GET .*jobs\?.*watch=true/);
            api.remove("jobs", "lammps");
            await deleting;
        });

        it("does nothing if the Job is gone", async () => {
            const { id, outs } = await create();
            api.remove("jobs", "lammps");
            await indexedJob.delete(id, outs);
        });

        it("forgets no Job if another cluster has a new Service with the nonce of its stack", async () => {
            api.put("namespaces", { metadata: { name: "kube-system", uid: "first" } });
            const { id, outs } = await create();
            assert.equal(outs.clusterMark, "kube-system/first");
            const { clusterMark: _none, ...earlier } = outs;
            assert.equal((await indexedJob.read(id, earlier)).props?.clusterMark, "kube-system/first");
            api.put("namespaces", { metadata: { name: "kube-system", uid: "second" } });
            api.remove("jobs", "lammps");
            api.put("services", {
                metadata: { name: "lammps-lead", uid: "new", annotations: { "flux-minicluster/nonce": NONCE } },
            });
            assert.deepEqual((await indexedJob.read(id, outs)).props, outs);
            await assert.rejects(
                indexedJob.delete(id, outs),
                /Job hpc\/lammps is not deleted: namespace kube-system .* has the UID second and not first, so it may still run/,
            );
            // An update that replaces the Job has the new Service in its inputs.
            const lead = { ...outs.lead, uid: "new" };
            await indexedJob.check(outs, inputsOf({ image: "registry.example/lammps:2" }, { lead }));
            await assert.rejects(indexedJob.delete(id, outs), /Job hpc\/lammps is not replaced: namespace kube-system/);
            await indexedJob.delete(id, earlier);
        });

        it("refuses a replacement if neither the Job nor its Service is in the cluster", async () => {
            const { id, outs } = await create();
            await indexedJob.check(outs, inputsOf({ image: "registry.example/lammps:2" }));
            api.remove("jobs", "lammps");
            api.remove("services", "lammps-lead");
            await assert.rejects(indexedJob.delete(id, outs), (error: Error) => {
                assert.match(
                    error.message,
                    /^Job hpc\/lammps is not replaced: neither Job hpc\/lammps nor its Service lammps-lead is in the cluster at http:/,
                );
                return true;
            });
        });

        it("accepts the replacement of a missing Job if its Service is new", async () => {
            const { id, outs } = await create();
            const lead = { name: "lammps-lead", uid: "new", address: "10.96.0.8" };
            await indexedJob.check(outs, inputsOf({}, { lead }));
            api.remove("jobs", "lammps");
            api.put("services", { metadata: { name: "lammps-lead", uid: "new" } });
            await indexedJob.delete(id, outs);
        });

        it("fails in pulumi destroy if neither the Job nor its Service is there, unless the Job has ended", async () => {
            const { id, outs } = await create();
            api.remove("jobs", "lammps");
            api.remove("services", "lammps-lead");
            await assert.rejects(indexedJob.delete(id, outs), (error: Error) => {
                assert.match(
                    error.message,
                    /^Job hpc\/lammps is not deleted: neither Job hpc\/lammps nor its Service lammps-lead is in the cluster at http:.*, so it may still run in another cluster\. .* set PULUMI_K8S_DELETE_UNREACHABLE=true, /,
                );
                return true;
            });
            await indexedJob.delete(id, { ...outs, finished: true });
        });

        it("drops such a Job from the state if the user allows it", async () => {
            const { id, outs } = await create();
            api.remove("jobs", "lammps");
            api.remove("services", "lammps-lead");
            process.env["PULUMI_K8S_DELETE_UNREACHABLE"] = "true";
            try {
                await indexedJob.delete(id, outs);
            } finally {
                delete process.env["PULUMI_K8S_DELETE_UNREACHABLE"];
            }
        });

        it("fails if a proxy answers 404 to the deletion, because that says nothing of the Job", async () => {
            const { id, outs } = await create();
            api.fail(/^DELETE .*jobs/, 404, { times: 9 });
            await assert.rejects(indexedJob.delete(id, outs), /^Error: Job hpc\/lammps can't be deleted: injected 404/);
            assert.ok(api.get("jobs", "lammps"));
        });

        it("doesn't treat a Job as gone that the API server doesn't delete because of a conflict", async () => {
            const { id, outs } = await create();
            api.fail(/^DELETE/, 409, { message: "the object has been modified", reason: "Conflict" });
            await assert.rejects(indexedJob.delete(id, outs), {
                message: "Job hpc/lammps can't be deleted: the object has been modified",
            });
            assert.ok(api.get("jobs", "lammps"));
        });

        it("leaves another Job of that name alone", async () => {
            const { id, outs } = await create();
            api.remove("jobs", "lammps");
            const uid = putLive(inputsOf());
            await indexedJob.delete(id, outs);
            assert.equal(api.get("jobs", "lammps")?.metadata.uid, uid);
            assert.equal(api.get("jobs", "lammps")?.metadata.deletionTimestamp, undefined);
        });

        it("survives an API server that goes away during the deletion", async () => {
            const { id, outs } = await create();
            api.fail(/^DELETE/, "cutAfter");
            await indexedJob.delete(id, outs);
            assert.equal(api.get("jobs", "lammps"), undefined);
        });

        it("says where to look if a pod doesn't end", async () => {
            const { id, outs } = await create();
            api.holdDeletes = true;
            await assert.rejects(indexedJob.delete(id, { ...outs, deleteTimeout: 0.1 }), {
                message:
                    "Job hpc/lammps still exists 0.1 s after it was deleted; a pod does not end. Look at kubectl get pods -n hpc " +
                    "-l batch.kubernetes.io/job-name=lammps, or raise timeouts.delete.",
            });
        });

        it("names the lost node of a pod that doesn't end", async () => {
            const { id, outs } = await create();
            const conditions = [
                { type: "Ready", status: "False", lastTransitionTime: new Date("2026-01-01T00:05:00Z") },
                { type: "ContainersReady", status: "True" },
            ];
            const owner = { apiVersion: "batch/v1", kind: "Job", name: "lammps", uid: id.split("/")[2] };
            const { metadata, ...pod } = makePod(1, { conditions });
            api.put("pods", { ...pod, metadata: { ...metadata, name: "lammps-1-abcde", ownerReferences: [owner] } });
            api.holdDeletes = true;
            await assert.rejects(
                indexedJob.delete(id, { ...outs, deleteTimeout: 0.1 }),
                /after it was deleted; lammps-1-abcde is lost: node node-1 has not been ready since 2026-01-01T00:05:00Z; if that/,
            );
        });

        it("names the missing right", async () => {
            const { id, outs } = await create();
            api.fail(/^DELETE/, 403, { message: 'User "me" cannot delete resource "jobs"', times: 9 });
            await assert.rejects(
                indexedJob.delete(id, outs),
                /Job hpc\/lammps can't be deleted: User "me" cannot delete resource "jobs"/,
            );
        });
    });
});
