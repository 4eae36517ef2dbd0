import assert from "node:assert/strict";
import { inspect } from "node:util";

import { secret as secretObject, withTexts } from "../../../../components/pod/secret";
import { secretVersion } from "../../../../provider/contract/curveKey";
import { ANNOTATIONS } from "../../../../provider/contract/labels";
import type { IndexedJobInputs } from "../../../../provider/indexedJob/properties";
import { indexedJob } from "../../../../provider/indexedJob/verbs";
import { parseId } from "../../../../provider/kubernetes/jobId";
import { putLeadService, useApi } from "../../support/fakeApi";
import { makeInputs, makeLiveFiles, NONCE } from "../../support/jobs";
import { newOperation } from "../../support/newOperation";
import { makeSpec } from "../../support/spec";

const FILES = "/api/v1/namespaces/hpc/configmaps";

describe("IndexedJob", () => {
    const api = useApi(putLeadService);

    afterEach(() => newOperation());
    describe("ConfigMap", () => {
        const inputsOf = (connectTimeout = 2, overrides: Partial<IndexedJobInputs> = {}) =>
            makeInputs({ broker: { connectTimeout } }, { kubeconfig: api.kubeconfig, ...overrides });
        const nameOf = (inputs: IndexedJobInputs) => inputs.files?.["metadata"].name as string;
        const live = (inputs = inputsOf()) => api.get("configmaps", nameOf(inputs));
        const requests = () => api.requests.filter((request) => /configmaps(?!\/kube-root-ca)/.test(request));

        /** Puts it there as a create leaves it. */
        function put(inputs: IndexedJobInputs, metadata: object = {}) {
            const made = makeLiveFiles(inputs);
            return api.put("configmaps", { ...made, metadata: { ...made.metadata, ...metadata } });
        }

        it("is created before the Job by one request, immutable and owned by the lead Service", async () => {
            await indexedJob.create(inputsOf());
            const { data, immutable, metadata } = live() ?? assert.fail("there is none");
            assert.deepEqual(data, inputsOf().files?.["data"]);
            assert.equal(immutable, true);
            assert.equal(metadata["ownerReferences"][0].uid, "service-uid");
            assert.deepEqual(requests(), [`POST ${FILES}`]);
            assert(
                api.requests.indexOf(`POST ${FILES}`) <
                    api.requests.findIndex((request) => /^POST .*jobs$/.test(request)),
            );
        });

        it("is reused if an interrupted create has left it", async () => {
            const { metadata } = put(inputsOf());
            await indexedJob.create(inputsOf());
            assert.equal(live()?.metadata.uid, metadata.uid);
            assert.deepEqual(requests(), [`POST ${FILES}`, `GET ${FILES}/${nameOf(inputsOf())}`]);
        });

        it("gets changed labels and annotations by a patch", async () => {
            const of = (labels: Record<string, string>) =>
                makeInputs({ labels, annotations: labels }, { kubeconfig: api.kubeconfig });
            const [before, after] = [of({ a: "1", b: "2" }), of({ b: "3", c: "4" })];
            const { id, outs } = await indexedJob.create(before);
            const { metadata: made } = live(before) ?? assert.fail("there is none");
            await indexedJob.update(id, outs, after);
            const { metadata } = live(after) ?? assert.fail("there is none");
            assert.equal(metadata.uid, made.uid);
            assert.deepEqual(metadata["labels"], after.files?.["metadata"].labels);
            const { [ANNOTATIONS.nonce]: nonce, [ANNOTATIONS.specHash]: hash, ...texts } = metadata.annotations ?? {};
            assert.deepEqual(texts, { b: "3", c: "4" });
            assert.deepEqual([nonce, typeof hash], [NONCE, "string"]);
        });

        it("keeps labels of a webhook, and shows no drift for them", async () => {
            const inputs = makeInputs({ labels: { a: "1" } }, { kubeconfig: api.kubeconfig });
            const { id, outs } = await indexedJob.create(inputs);
            (live(inputs)!.metadata["labels"] as Record<string, string>)["a"] = "other";
            assert.deepEqual((await indexedJob.read(id, outs)).props, outs);
            await indexedJob.update(id, outs, { ...inputs, deleteTimeout: 1 });
            assert.equal((live(inputs)!.metadata["labels"] as Record<string, string>)["a"], "other");
            assert.ok(!requests().some((request) => request.startsWith("PATCH")));
        });

        for (const [what, metadata] of [
            [
                "has other content",
                { annotations: { "flux-minicluster/nonce": NONCE, "flux-minicluster/spec-hash": "another" } },
            ],
            [
                "belongs to a destroyed cluster",
                {
                    annotations: { "flux-minicluster/nonce": "another" },
                    ownerReferences: [{ kind: "Service", name: "lammps-lead", uid: "gone" }],
                },
            ],
            [
                "belongs to an earlier lead Service",
                { ownerReferences: [{ kind: "Service", name: "lammps-lead", uid: "gone" }] },
            ],
        ] as const) {
            it(`is recreated if it ${what}`, async () => {
                const {
                    metadata: { uid },
                } = put(inputsOf(), metadata);
                await indexedJob.create(inputsOf());
                assert.notEqual(live()?.metadata.uid, uid);
                assert.deepEqual(live()?.["data"], inputsOf().files?.["data"]);
            });
        }

        it("is reused if a quota refuses a second one before Kubernetes looks at the name", async () => {
            const { metadata } = put(inputsOf());
            api.fail(/^POST .*configmaps/, 403, { message: "exceeded quota", reason: "Forbidden" });
            await indexedJob.create(inputsOf());
            assert.equal(live()?.metadata.uid, metadata.uid);
        });

        it("shows no drift if a webhook changed it at its creation", async () => {
            const { id, outs } = await indexedJob.create(inputsOf());
            const made = live()!;
            const ownerReferences = [
                ...made.metadata["ownerReferences"],
                { kind: "Team", name: "theirs", uid: "team" },
            ];
            api.put("configmaps", { ...made, data: { more: "" }, metadata: { ...made.metadata, ownerReferences } });
            assert.deepEqual((await indexedJob.read(id, outs)).props, outs);
        });

        it("is left to another owner, and no Job is created", async () => {
            const {
                metadata: { uid },
            } = put(inputsOf(), { annotations: {}, ownerReferences: [] });
            await assert.rejects(indexedJob.create(inputsOf()), {
                message:
                    `ConfigMap hpc/${nameOf(inputsOf())} can't be created: it exists and does not belong to this MiniCluster. ` +
                    "Delete it, or give the MiniCluster another name.",
            });
            assert.equal(live()?.metadata.uid, uid);
            assert.equal(api.get("jobs", "lammps"), undefined);
        });

        it("is created only once if the answer to its creation is lost", async () => {
            api.fail(/^POST .*configmaps/, "cutAfter");
            const { id } = await indexedJob.create(inputsOf());
            assert.equal(parseId(id).name, "lammps");
            assert.deepEqual(requests(), [`POST ${FILES}`, `GET ${FILES}/${nameOf(inputsOf())}`]);
        });

        it("says why it can't be created", async () => {
            api.fail(/^POST .*configmaps/, 403, { message: "configmaps is forbidden", reason: "Forbidden" });
            await assert.rejects(indexedJob.create(inputsOf()), {
                message: `ConfigMap hpc/${nameOf(inputsOf())} can't be created: configmaps is forbidden`,
            });
        });

        it("isn't created if the Job belongs to another owner", async () => {
            api.put("jobs", { metadata: { name: "lammps" } });
            await assert.rejects(indexedJob.create(inputsOf()), /belongs to another client/);
            assert.deepEqual(requests(), []);
        });

        it("is deleted with the Job", async () => {
            const { id, outs } = await indexedJob.create(inputsOf());
            await indexedJob.delete(id, outs);
            assert.equal(api.get("jobs", "lammps"), undefined);
            assert.equal(live(), undefined);
        });

        it("is deleted even if the TTL has removed the Job", async () => {
            const { id, outs } = await indexedJob.create(inputsOf());
            api.remove("jobs", "lammps");
            await indexedJob.delete(id, outs);
            assert.equal(live(), undefined);
        });

        it("is kept if it now belongs to another cluster", async () => {
            const { id, outs } = await indexedJob.create(inputsOf());
            put(inputsOf(), { annotations: { "flux-minicluster/nonce": "another" } });
            await indexedJob.delete(id, outs);
            assert.ok(live());
            assert.deepEqual(
                requests().filter((request) => request.startsWith("DELETE")),
                [],
            );
        });

        it("is kept if a later Job of this cluster needs it", async () => {
            const { id, outs } = await indexedJob.create(inputsOf());
            api.remove("jobs", "lammps");
            await indexedJob.create(inputsOf());
            await indexedJob.delete(id, outs);
            assert.ok(live());
        });

        it("leaves the old Job in place if the ConfigMap of the new Job is refused", async () => {
            const { id, outs } = await indexedJob.create(inputsOf());
            await indexedJob.check(outs, inputsOf(3));
            api.fail(/^POST .*configmaps/, 403, { message: "exceeded quota", reason: "Forbidden" });
            const message = `ConfigMap hpc/${nameOf(inputsOf(3))} can't be created: exceeded quota`;
            await assert.rejects(indexedJob.delete(id, outs), { message });
            assert.equal(api.get("jobs", "lammps")?.metadata.uid, parseId(id).uid);
            assert.ok(live());
        });

        it("leaves the old Job in place if a refresh has found the lead Service of another cluster", async () => {
            const { id, outs } = await indexedJob.create(inputsOf());
            const { lead, ...news } = inputsOf(3);
            await indexedJob.check(outs, { ...news, lead: { ...lead, uid: "of another cluster" } });
            await assert.rejects(
                indexedJob.delete(id, outs),
                /^Error: Service hpc\/lammps-lead of the Kubernetes provider is not in the cluster at/,
            );
            assert.equal(api.get("jobs", "lammps")?.metadata.uid, parseId(id).uid);
            assert.ok(live());
        });

        it("isn't created for the new Job in another cluster, which has other Services", async () => {
            const { id, outs } = await indexedJob.create(inputsOf());
            await indexedJob.check(outs, inputsOf(3));
            api.put("services", { metadata: { name: "lammps-lead", uid: "another" } });
            api.remove("jobs", "lammps");
            api.requests.length = 0;
            await assert.rejects(
                indexedJob.delete(id, outs),
                /is not replaced: neither Job hpc\/lammps nor its Service/,
            );
            assert.deepEqual(
                api.requests.filter((request) => request.startsWith("POST")),
                [],
            );
        });

        it("is recreated after the old Job if the new Job has the same content", async () => {
            const { id, outs } = await indexedJob.create(inputsOf());
            const other = inputsOf(2, { nonce: "another" });
            await indexedJob.check(outs, other);
            await indexedJob.delete(id, outs);
            assert.equal(live(), undefined);
            await indexedJob.create(other);
            assert.equal(live()?.metadata.annotations["flux-minicluster/nonce"], "another");
        });

        it("is named in the error if it can't be read or deleted, and is deleted by the next try", async () => {
            const { id, outs } = await indexedJob.create(inputsOf());
            for (const [verb, done] of [
                ["GET", "read"],
                ["DELETE", "deleted"],
            ]) {
                api.fail(new RegExp(`^${verb} .*configmaps`), 403, { message: "it is forbidden", reason: "Forbidden" });
                await assert.rejects(indexedJob.delete(id, outs), {
                    message: `ConfigMap hpc/${nameOf(inputsOf())} can't be ${done}: it is forbidden`,
                });
            }
            await indexedJob.delete(id, outs);
            assert.equal(live(), undefined);
        });

        it("counts as deleted if another client has deleted it first", async () => {
            const { id, outs } = await indexedJob.create(inputsOf());
            const status = { message: "not found", reason: "NotFound", name: nameOf(inputsOf()) };
            api.fail(/^DELETE .*configmaps/, 404, status);
            await indexedJob.delete(id, outs);
        });

        it("is deleted with the old Job before the new Job creates its own", async () => {
            const { id, outs } = await indexedJob.create(inputsOf());
            await indexedJob.delete(id, outs);
            assert.equal(live(), undefined);
            await indexedJob.create(inputsOf(3));
            assert.ok(live(inputsOf(3)));
        });

        it("is unchanged after a refresh that finds it", async () => {
            const { id, outs } = await indexedJob.create(inputsOf());
            const { props } = await indexedJob.read(id, outs);
            assert.deepEqual(props, outs);
        });

        it("is missed by a refresh and recreated by an update if another client deletes it", async () => {
            const { id, outs } = await indexedJob.create(inputsOf());
            api.remove("configmaps", nameOf(inputsOf()));
            const { props } = await indexedJob.read(id, outs);
            const { changes, replaces } = await indexedJob.diff(id, props as typeof outs, inputsOf());
            assert.deepEqual([changes, replaces], [true, []]);
            const updated = await indexedJob.update(id, props as typeof outs, inputsOf());
            assert.deepEqual(live()?.["data"], inputsOf().files?.["data"]);
            assert.deepEqual(updated.outs.files, JSON.parse(JSON.stringify(inputsOf().files)));
        });

        for (const [what, metadata] of [
            ["another owner", { annotations: {} }],
            ["an earlier lead Service", { ownerReferences: [] }],
        ] as const) {
            it(`counts as deleted in a refresh if it now belongs to ${what}`, async () => {
                const { id, outs } = await indexedJob.create(inputsOf());
                put(inputsOf(), metadata);
                const { props } = await indexedJob.read(id, outs);
                assert.deepEqual((props as typeof outs).files?.["data"], {});
            });
        }

        it("is left out of an IndexedJob without files", async () => {
            const { files: _, ...bare } = inputsOf();
            const { id, outs } = await indexedJob.create(bare);
            await indexedJob.read(id, outs);
            await indexedJob.delete(id, outs);
            assert.deepEqual(requests(), []);
        });
    });

    describe("Secret", () => {
        const SECRETS = "/api/v1/namespaces/hpc/secrets";
        const TOKEN = "hunter2";
        /** Other content also has another `secretVersion`. */
        const inputsOf = (token = TOKEN): IndexedJobInputs => {
            const secret = withTexts(secretObject(makeSpec(), "hpc"), { "env.TOKEN": token });
            return makeInputs({}, { kubeconfig: api.kubeconfig, secret, secretVersion: token });
        };
        const live = () => api.get("secrets", "lammps-secret");
        const tokenOf = (object = live()) => Buffer.from(object?.["data"]["env.TOKEN"] ?? "", "base64").toString();

        it("is created before the Job, immutable and owned by the lead Service", async () => {
            await indexedJob.create(inputsOf());
            assert.equal(tokenOf(), TOKEN);
            assert.equal(live()?.["immutable"], true);
            assert.equal(live()?.metadata["ownerReferences"][0].uid, "service-uid");
            assert(
                api.requests.indexOf(`POST ${SECRETS}`) <
                    api.requests.findIndex((request) => /^POST .*jobs$/.test(request)),
            );
        });

        it("is reused if an interrupted create has left it", async () => {
            api.fail(/^POST .*jobs/, 403, { message: "jobs is forbidden", reason: "Forbidden" });
            await assert.rejects(indexedJob.create(inputsOf()), /jobs is forbidden/);
            const uid = live()?.metadata.uid;
            await indexedJob.create(inputsOf());
            assert.equal(live()?.metadata.uid, uid);
        });

        describe("with a transform of its content", () => {
            /** A transform changes the content, but not the version, which comes from the arguments. */
            const transformed = (token: string) => ({ ...inputsOf(token), secretVersion: "v1", markKey: "curve" });

            it("gets the content together with another Job", async () => {
                const { id, outs } = await indexedJob.create(transformed("one"));
                const { replaces } = await indexedJob.diff(id, outs, transformed("two"));
                assert.deepEqual(replaces, ["secret"]);
            });

            it("isn't reused with another content that an interrupted create has left", async () => {
                await indexedJob.create(transformed("one"));
                api.remove("jobs", "lammps");
                await indexedJob.create(transformed("two"));
                assert.equal(tokenOf(), "two");
            });

            it("shows a content that another client has recreated as drift", async () => {
                const { id, outs } = await indexedJob.create(transformed("one"));
                const { props } = await indexedJob.read(id, { ...outs, ...transformed("two") });
                assert.deepEqual(props?.secret?.["stringData"], {});
            });

            it("keeps the mark of an untransformed Secret that was created without a key", async () => {
                const { secret } = inputsOf();
                const version = secretVersion("curve", secret?.["stringData"]);
                const { id, outs } = await indexedJob.create({ ...inputsOf(), secretVersion: version });
                const now = { ...outs, markKey: "curve" };
                assert.deepEqual((await indexedJob.read(id, now)).props?.secret, secret);
            });
        });

        it("gets new content only after the Job with the old content is gone", async () => {
            const { id, outs } = await indexedJob.create(inputsOf());
            await indexedJob.check(outs, inputsOf("hunter3"));
            api.fail(/^DELETE .*jobs/, 403, { message: "jobs is forbidden", reason: "Forbidden" });
            await assert.rejects(indexedJob.delete(id, outs), /jobs is forbidden/);
            assert.equal(tokenOf(), TOKEN);
            await indexedJob.delete(id, outs);
            assert.equal(live(), undefined);
            await indexedJob.create(inputsOf("hunter3"));
            assert.equal(tokenOf(), "hunter3");
        });

        it("gets new content only after another Job that an interrupted create has left is gone", async () => {
            await indexedJob.create(inputsOf());
            api.fail(/^DELETE .*jobs/, 403, { message: "jobs is forbidden", reason: "Forbidden" });
            await assert.rejects(indexedJob.create(inputsOf("hunter3")), /jobs is forbidden/);
            assert.equal(tokenOf(), TOKEN);
            await indexedJob.create(inputsOf("hunter3"));
            assert.equal(tokenOf(), "hunter3");
        });

        it("is left to another owner, and no error shows its intended content", async () => {
            api.put("secrets", { metadata: { name: "lammps-secret" }, data: {} });
            await assert.rejects(indexedJob.create(inputsOf()), (error: Error) => {
                assert.equal(
                    error.message,
                    "Secret hpc/lammps-secret can't be created: it exists and does not belong to this MiniCluster. Delete it, or give the MiniCluster another name.",
                );
                assert(!inspect(error, { depth: null, showHidden: true }).includes(TOKEN));
                return true;
            });
        });

        it("is unchanged after a refresh that finds it, and else recreated by an update", async () => {
            const { id, outs } = await indexedJob.create(inputsOf());
            assert.deepEqual((await indexedJob.read(id, outs)).props, outs);
            api.remove("secrets", "lammps-secret");
            const { props } = await indexedJob.read(id, outs);
            assert.deepEqual((props as typeof outs).secret?.["stringData"], {});
            const { changes, replaces } = await indexedJob.diff(id, props as typeof outs, inputsOf());
            assert.deepEqual([changes, replaces], [true, []]);
            await indexedJob.update(id, props as typeof outs, inputsOf());
            assert.equal(tokenOf(), TOKEN);
        });

        it("isn't created if nothing is secret", async () => {
            const { id, outs } = await indexedJob.create({ ...inputsOf(), secret: null });
            await indexedJob.read(id, outs);
            await indexedJob.delete(id, outs);
            assert.deepEqual(
                api.requests.filter((request) => request.includes("/secrets")),
                [],
            );
        });
    });
});
