import assert from "node:assert/strict";

import type { PlainArgs } from "../../../../components/args";
import { Interrupt } from "../../../../components/features/update";
import { ANNOTATIONS } from "../../../../provider/contract/labels";
import { curveKey } from "../../../../provider/curveKey/verbs";
import type { IndexedJobInputs, IndexedJobOutputs } from "../../../../provider/indexedJob/properties";
import { indexedJob } from "../../../../provider/indexedJob/verbs";
import { BRIEFLY } from "../../../../provider/kubernetes/client";
import { askProgramBy } from "../../../../provider/kubernetes/kubeconfig/clusterAccess";
import { rememberAccess } from "../../../../provider/kubernetes/kubeconfig/unreachable";
import { UNKNOWN } from "../../../../provider/host/unknown";
import { freePort } from "../../support/between";
import { FakeApi, putLeadService, useApi } from "../../support/fakeApi";
import { makeInputs, makeLive, makeLiveFiles } from "../../support/jobs";
import { newOperation } from "../../support/newOperation";
import { operate } from "../../support/program";

const RUNS = "has been running for 3 h 0 min in 4 pods";
const CURE = 'Wait until the command ends, or set interrupt to "allow" to end it.';
const SAME_CLUSTER =
    "If only the address or the authority of the same API server has changed, give the Kubernetes provider " +
    "clusterIdentifier in an update before that change.";

describe("The guard of a running command", () => {
    const { argv } = process;
    const { log } = console;
    const api = useApi(putLeadService);
    let said: string[];

    beforeEach(() => {
        said = [];
        console.log = (line: string) => said.push(line);
    });

    afterEach(() => {
        console.log = log;
        process.argv = argv;
        newOperation();
    });

    const inputsOf = (args: Partial<PlainArgs> = {}, overrides: Partial<IndexedJobInputs> = {}) =>
        makeInputs(args, { kubeconfig: api.kubeconfig, ...overrides });
    const outputsOf = (inputs: IndexedJobInputs): IndexedJobOutputs => ({
        ...inputs,
        schemaVersion: 1,
        finished: false,
    });
    const writes = () => api.requests.filter((request) => !request.startsWith("GET"));
    const running = () => ({ active: 4, ready: 4, startTime: new Date(Date.now() - 10_800_000).toISOString() });

    /** Puts a Job of these inputs there, and returns its id. */
    function putLive(inputs: IndexedJobInputs, status: object = running()): string {
        api.put("configmaps", makeLiveFiles(inputs));
        const { metadata } = api.put("jobs", { ...(makeLive(inputs, status) as any), kind: "Job" });
        return `hpc/lammps/${metadata.uid}`;
    }

    const up = () => operate(true, ({ message }) => said.push(message));
    const destroy = () => operate(false);

    describe("without a check before the deletion", () => {
        it("asks for no replacement because an upstream resource is replaced", async () => {
            await up();
            const id = putLive(inputsOf());
            for (const name of ["manifest", "files", "secret", "secretVersion", "triggers", "nonce"]) {
                const news = { ...inputsOf(), [name]: UNKNOWN };
                const { changes, replaces } = await indexedJob.diff(id, outputsOf(inputsOf()), news);
                assert.deepEqual([changes, replaces], [true, []], name);
            }
        });

        it("replaces a missing Job whose key and Service earlier updates have replaced", async () => {
            await up();
            const old = outputsOf(inputsOf());
            await indexedJob.diff("hpc/lammps/gone", old, inputsOf({}, { lead: UNKNOWN as any }));
            const annotations = { [ANNOTATIONS.nonce]: "later" };
            api.put("services", { metadata: { annotations, name: "lammps-lead", uid: "later" } });
            const key = { cluster: "lammps", kubeconfig: api.kubeconfig, namespace: "hpc" };
            const { outs } = await curveKey.create(key);
            for (const other of [{ cluster: "other" }, { namespace: "other" }, { kubeconfig: "other" }]) {
                await curveKey.diff("later", { ...outs, ...other, nonce: "later" }, key);
                await assert.rejects(indexedJob.delete("hpc/lammps/gone", old), /so this is another cluster/);
            }
            await curveKey.diff("later", { ...outs, nonce: "later" }, key);
            await indexedJob.delete("hpc/lammps/gone", old);
        });

        it("refuses in diff that the lead Service is replaced, which would delete the Job", async () => {
            await up();
            const id = putLive(inputsOf());
            const news = inputsOf({}, { lead: UNKNOWN as any });
            await assert.rejects(indexedJob.diff(id, outputsOf(inputsOf()), news), {
                message:
                    `Job hpc/lammps is not replaced together with its lead Service, because its command ${RUNS}. ${CURE} ` +
                    `The program must set it in an update of its own, before this one. ${SAME_CLUSTER}`,
            });
        });

        it("warns in diff that an idle Job is replaced with the lead Service, and names the cure", async () => {
            await up();
            const id = putLive(inputsOf(), { active: 0 });
            await indexedJob.diff(id, outputsOf(inputsOf()), inputsOf({}, { lead: UNKNOWN as any }));
            const words = `Job hpc/lammps is replaced together with its lead Service. ${SAME_CLUSTER}`;
            assert.ok(
                said.some((line) => line.includes(words)),
                said.join("\n"),
            );
        });

        describe("at another address, when no API server is at the old one", () => {
            const lost = async () => api.kubeconfig.replace(/:\d+"/, `:${await freePort()}"`);
            const replaced = (old: string) =>
                indexedJob.diff(
                    putLive(inputsOf(), { active: 0 }),
                    outputsOf(inputsOf({}, { kubeconfig: old, resourceUrn: "urn:job" })),
                    inputsOf({}, { kubeconfig: old, lead: UNKNOWN as any }),
                );

            beforeEach(() => rememberAccess({ kubeconfig: api.kubeconfig }));

            afterEach(() => askProgramBy(async () => []));

            it("refuses in diff that the lead Service is replaced, which the Kubernetes provider can't delete", async () => {
                await up();
                await assert.rejects(replaced(await lost()), (error: Error) => {
                    assert.match(
                        error.message,
                        /^Job hpc\/lammps is not replaced together with its lead Service, because the/,
                    );
                    assert.match(
                        error.message,
                        /deletes the Service at http:\S+:\d+, which can't be reached: .*ECONNREFUSED/,
                    );
                    assert.ok(error.message.includes(SAME_CLUSTER), error.message);
                    return true;
                });
            });

            it("refuses it as well by what the program tells of this Job, whatever it gives to other clusters", async () => {
                await up();
                const old = await lost();
                const another = { urn: "urn:another", kubeconfig: old };
                askProgramBy(async () => [another, { urn: "urn:job", kubeconfig: api.kubeconfig }]);
                await assert.rejects(replaced(old), /which can't be reached/);
            });

            it("lets diff pass if the program still gives that address, and another one to another cluster", async () => {
                await up();
                const old = await lost();
                const another = { urn: "urn:another", kubeconfig: api.kubeconfig };
                for (const own of [old, old.replace("token-of-the-test", "renewed")]) {
                    askProgramBy(async () => [another, { urn: "urn:job", kubeconfig: own }]);
                    assert.deepEqual((await replaced(old)).replaces, ["lead"]);
                }
                askProgramBy(async () => []);
                rememberAccess({ kubeconfig: old });
                assert.deepEqual((await replaced(old)).replaces, ["lead"]);
            });

            it("lets diff pass in a destroy, if the state's kubeconfig can't be read, and if the user drops the cluster", async () => {
                await destroy();
                const old = await lost();
                assert.deepEqual((await replaced(old)).replaces, ["lead"]);
                await up();
                assert.deepEqual((await replaced("/nowhere/kubeconfig")).replaces, ["lead"]);
                process.env["PULUMI_K8S_DELETE_UNREACHABLE"] = "true";
                try {
                    assert.deepEqual((await replaced(old)).replaces, ["lead"]);
                } finally {
                    delete process.env["PULUMI_K8S_DELETE_UNREACHABLE"];
                }
            });
        });

        it("lets diff pass if the Job can't be read, and refuses in delete", async () => {
            await up();
            const id = putLive(inputsOf());
            api.fail(/jobs/, 403, { times: 2 });
            const outs = outputsOf(inputsOf());
            const { replaces } = await indexedJob.diff(id, outs, inputsOf({}, { lead: UNKNOWN as any }));
            assert.deepEqual(replaces, ["lead"]);
            await assert.rejects(
                indexedJob.delete(id, outs),
                /^Error: Job hpc\/lammps is not deleted: it can't be read/,
            );
            await assert.rejects(
                indexedJob.delete(id, outs),
                new RegExp(`is not deleted, because its command ${RUNS}`),
            );
            assert.deepEqual(writes(), []);
        });

        it("replaces the Job with its lead Service if interrupt allows it", async () => {
            await up();
            const allowed = inputsOf({ interrupt: Interrupt.Allow });
            const id = putLive(allowed);
            await indexedJob.diff(id, outputsOf(allowed), { ...allowed, lead: UNKNOWN as any });
            await indexedJob.delete(id, outputsOf(allowed));
            assert.equal(api.get("jobs", "lammps"), undefined);
        });

        it("refuses to delete a Job that is not in the program any more", async () => {
            await up();
            const id = putLive(inputsOf());
            await assert.rejects(indexedJob.delete(id, outputsOf(inputsOf())), {
                message:
                    `Job hpc/lammps is not deleted, because its command ${RUNS}. Its MiniCluster is not in the program any ` +
                    `more, or is replaced together with another resource. ${CURE} The program must set it in an update of ` +
                    "its own, before this one. pulumi destroy without --target also deletes it.",
            });
            assert.deepEqual(writes(), []);
        });

        it("deletes a Job in pulumi destroy, also with --target, which asks for a diff", async () => {
            await destroy();
            const id = putLive(inputsOf());
            const outs = outputsOf(inputsOf());
            assert.deepEqual((await indexedJob.diff(id, outs, { ...inputsOf(), lead: UNKNOWN as any })).replaces, [
                "lead",
            ]);
            await indexedJob.delete(id, outs);
            assert.equal(api.get("jobs", "lammps"), undefined);
            assert.match(said.join("\n"), new RegExp(`is deleted although its command ${RUNS}$`));
        });

        for (const [what, status] of [
            ["has ended", { conditions: [{ type: "Complete", status: "True" }] }],
            ["has not started", { active: 4 }],
            ["is suspended", {}],
        ] as const) {
            it(`deletes a Job that left the program if its command ${what}`, async () => {
                await up();
                const id = putLive(inputsOf(), { ...running(), active: 0, ready: 0, ...status });
                await indexedJob.delete(id, outputsOf(inputsOf()));
                assert.equal(api.get("jobs", "lammps"), undefined);
            });
        }
    });

    describe("if requests of check fail", () => {
        const changed = () => inputsOf({ image: "other" });

        async function replace(id: string, news = changed()): Promise<void> {
            const olds = inputsOf();
            const { failures = [], inputs } = await indexedJob.check(olds, news);
            assert.deepEqual(failures, []);
            assert.deepEqual((await indexedJob.diff(id, outputsOf(olds), inputs)).replaces, ["manifest"]);
            await indexedJob.check({}, news);
            await indexedJob.delete(id, outputsOf(olds));
        }

        it("still refuses if only the version can't be read", async () => {
            putLive(inputsOf());
            api.fail(/version/, 403, { times: 9 });
            const { failures } = await indexedJob.check(inputsOf(), changed());
            assert.match(
                failures?.[0].reason ?? "",
                /^This change replaces the Job, but the Job's command has been running/,
            );
        });

        it("still plans to run a failed Job again if the version can't be read", async () => {
            putLive(inputsOf(), { conditions: [{ type: "Failed", status: "True", reason: "BackoffLimitExceeded" }] });
            api.fail(/version/, 403, { times: 9 });
            const { inputs } = await indexedJob.check(inputsOf(), inputsOf());
            assert.match(inputs.rerun ?? "", /BackoffLimitExceeded$/);
        });

        for (const code of [503, 403, "cut"] as const) {
            it(`refuses in delete if the Job could not be read before (${code})`, async () => {
                const id = putLive(inputsOf());
                api.fail(/jobs/, code, { times: code === 403 ? 2 : 2 * BRIEFLY.tries });
                await assert.rejects(replace(id), {
                    message: `Job hpc/lammps is not replaced, because its command ${RUNS}. ${CURE}`,
                });
                assert.deepEqual(writes(), []);
                assert.match(said.join(), /This change replaces Job hpc\/lammps, which can't be read: /);
            });
        }

        it("refuses in delete if the Job can't be read even then, and says what to do", async () => {
            const id = putLive(inputsOf());
            api.fail(/jobs/, 403, { times: 9, message: "jobs is forbidden" });
            await assert.rejects(replace(id), {
                message:
                    "Job hpc/lammps is not deleted: it can't be read, and its command or Flux jobs may be running: jobs is forbidden. " +
                    'Restore the access to the cluster, or set interrupt to "allow".',
            });
            assert.deepEqual(writes(), []);
        });

        it("judges the Job that the old credentials reach if the new ones are refused", async () => {
            const id = putLive(inputsOf());
            const elsewhere = api.kubeconfig.replace("token-of-the-test", "another");
            api.fail(/jobs|services/, 401, { times: 4 });
            await assert.rejects(
                replace(id, inputsOf({ image: "other" }, { kubeconfig: elsewhere })),
                new RegExp(`is not replaced, because its command ${RUNS}`),
            );
            assert.deepEqual(writes(), []);
        });
    });

    it("refuses in update to end a command that check didn't see", async () => {
        const id = putLive(inputsOf({ size: 4, maxSize: 8 }));
        const olds = outputsOf(inputsOf({ size: 4, maxSize: 8 }));
        const effects: [Partial<PlainArgs>, string][] = [
            [{ size: 3, maxSize: 8 }, "removes 1 of the Job's 4 ranks (size 3)"],
            [{ size: 4, maxSize: 8, suspend: true }, "suspends the Job"],
        ];
        for (const [args, effect] of effects) {
            await assert.rejects(indexedJob.update(id, olds, inputsOf(args)), {
                message: `This change ${effect}, but the Job's command ${RUNS}. ${CURE}`,
            });
        }
        assert.deepEqual(writes(), []);
    });

    it("refuses in create to replace a running Job of an interrupted create", async () => {
        putLive(inputsOf());
        await assert.rejects(
            indexedJob.create(inputsOf({ image: "other" })),
            new RegExp(`is not replaced, because its command ${RUNS}`),
        );
        assert.ok(!writes().some((request) => request.startsWith("DELETE")));
    });

    it("judges again a Job that starts between the judgement and the deletion", async () => {
        const id = putLive(inputsOf(), { active: 4, startTime: new Date().toISOString() });
        await indexedJob.check(inputsOf(), inputsOf({ image: "other" }));
        api.fail(/^DELETE .*jobs/, 409);
        const deletion = indexedJob.delete(id, outputsOf(inputsOf()));
        await api.seen(/^GET .*configmaps/);
        api.put("jobs", { ...api.get("jobs", "lammps")!, status: running() });
        await assert.rejects(deletion, /is not replaced, because its command has been running for 3 h/);
        assert.ok(api.get("jobs", "lammps")?.metadata["deletionTimestamp"] === undefined);
    });

    describe("if no pod is ready", () => {
        const status = () => ({ ...running(), ready: 0 });
        const pod = (flux: object, metadata: object = {}) => ({
            metadata: {
                name: "lammps-0-abc",
                labels: { "batch.kubernetes.io/job-name": "lammps", "batch.kubernetes.io/job-completion-index": "0" },
                ownerReferences: [{ uid: api.get("jobs", "lammps")?.metadata.uid }],
                ...metadata,
            },
            status: { phase: "Running", containerStatuses: [{ name: "flux", ...flux }] },
        });
        const started = { started: true, state: { running: { startedAt: new Date() } } };

        for (const [what, flux, refused] of [
            ["refuses if the broker of rank 0 has started, as on a node that doesn't answer", started, true],
            ["permits if the broker of rank 0 starts", { ...started, started: false }, false],
            ["permits if the container of rank 0 waits", { state: { waiting: { reason: "ImagePullBackOff" } } }, false],
        ] as const) {
            it(what, async () => {
                putLive(inputsOf(), status());
                api.put("pods", pod(flux));
                const { failures = [] } = await indexedJob.check(inputsOf(), inputsOf({ image: "other" }));
                assert.equal(failures.length, refused ? 1 : 0);
            });
        }
    });

    it("knows two Jobs of the same name in two clusters apart", async () => {
        const other = await FakeApi.start();
        try {
            const id = putLive(inputsOf());
            const twin = { ...inputsOf({ image: "twin" }), kubeconfig: other.kubeconfig, nonce: "feedfeedfeedfeed" };
            await indexedJob.check(inputsOf(), inputsOf({ hooks: { pre: "true" }, interrupt: Interrupt.Allow }));
            await indexedJob.check(twin, { ...twin, interrupt: "refuse" });
            api.fail(/^POST .*configmaps/, 403, { message: "exceeded quota" });
            await assert.rejects(
                indexedJob.delete(id, outputsOf(inputsOf())),
                /ConfigMap .* can't be created: exceeded quota/,
            );
            assert.equal(api.get("jobs", "lammps")?.metadata["deletionTimestamp"], undefined);
        } finally {
            await other.stop();
        }
    });

    it("takes the program's credentials for a replacement if those of the state have expired", async () => {
        const expired = inputsOf({}, { kubeconfig: api.kubeconfig.replace("token-of-the-test", "expired") });
        const id = putLive(expired, { conditions: [{ type: "Complete", status: "True" }] });
        const { inputs } = await indexedJob.check(expired, inputsOf({ image: "other" }));
        api.fail(/configmaps|jobs/, 401, { times: 1 });
        await indexedJob.delete(id, outputsOf(expired));
        await indexedJob.create(inputs);
        assert.equal(api.get("jobs", "lammps")?.spec.template.spec.containers[0].image, "other");
    });

    it("takes the program's credentials from the key if the engine deletes the Job before it asks for a check", async () => {
        const expired = inputsOf({}, { kubeconfig: api.kubeconfig.replace("token-of-the-test", "expired") });
        const id = putLive(expired, { conditions: [{ type: "Complete", status: "True" }] });
        api.accepts = (header) => header !== "Bearer expired";
        await curveKey.check({ kubeconfig: expired.kubeconfig }, { kubeconfig: api.kubeconfig });
        await indexedJob.delete(id, outputsOf(expired));
        assert.equal(api.get("jobs", "lammps"), undefined);
    });

    describe("with two clusters at one address", () => {
        const expired = () => inputsOf({}, { kubeconfig: api.kubeconfig.replace("token-of-the-test", "expired") });
        const successor = () =>
            inputsOf({ image: "other" }, { lead: { ...inputsOf().lead, uid: "uid-of-its-new-service" } });

        beforeEach(() => {
            api.accepts = (header) => header !== "Bearer expired";
            api.remove("services", "lammps-lead");
            api.put("services", { metadata: { name: "lammps-lead", uid: "uid-of-its-new-service" } });
        });

        it("doesn't take the second one for that of the Job, although it has the Service of the Job's successor", async () => {
            await indexedJob.check(expired(), successor());
            await assert.rejects(indexedJob.delete("hpc/lammps/of-the-first", outputsOf(expired())), /HTTP status 401/);
            assert.deepEqual(writes(), []);
        });

        it("takes the one that has the Job itself", async () => {
            const id = putLive(expired(), { conditions: [{ type: "Complete", status: "True" }] });
            await indexedJob.check(expired(), successor());
            await indexedJob.delete(id, outputsOf(expired()));
            assert.equal(api.get("jobs", "lammps"), undefined);
        });
    });
});
