import assert from "node:assert/strict";
import { inspect } from "node:util";

import { secret as secretManifest } from "../../../../components/pod/secret";
import { ANNOTATIONS } from "../../../../provider/contract/names";
import { wantedJobs } from "../../../../provider/indexedJob/memory";
import type { IndexedJobInputs } from "../../../../provider/indexedJob/resource";
import { indexedJob } from "../../../../provider/indexedJob/verbs";
import { parseId } from "../../../../provider/kube/jobId";
import { FakeApi } from "../../support/fakeApi";
import { makeInputs, makeLiveFiles, NONCE } from "../../support/jobs";
import { makeSpec } from "../../support/spec";

const FILES = "/api/v1/namespaces/hpc/configmaps";

describe("what the pods of an IndexedJob mount:", () => {
    let api: FakeApi;

    beforeEach(async () => {
        api = await FakeApi.start();
        api.put("services", { metadata: { name: "lammps-lead", uid: "service-uid" } });
    });

    afterEach(() => wantedJobs.clear());
    afterEach(() => api.stop());

    describe("the ConfigMap of an IndexedJob", () => {
        const inputsOf = (connectTimeout = 2, overrides: Partial<IndexedJobInputs> = {}) =>
            makeInputs({ broker: { connectTimeout } }, { kubeconfig: api.kubeconfig, ...overrides });
        const nameOf = (inputs: IndexedJobInputs) => inputs.files?.["metadata"].name as string;
        const live = (inputs = inputsOf()) => api.get("configmaps", nameOf(inputs));
        const requests = () => api.requests.filter((request) => request.includes("/configmaps"));

        /** As it is after a create. */
        function put(inputs: IndexedJobInputs, metadata: object = {}) {
            const made = makeLiveFiles(inputs);
            return api.put("configmaps", { ...made, metadata: { ...made.metadata, ...metadata } });
        }

        it("is made before the Job, by one request; it can't be changed, and is the lead Service's", async () => {
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

        it("is taken as it is where an interrupted create has left it", async () => {
            const { metadata } = put(inputsOf());
            await indexedJob.create(inputsOf());
            assert.equal(live()?.metadata.uid, metadata.uid);
            assert.deepEqual(requests(), [`POST ${FILES}`, `GET ${FILES}/${nameOf(inputsOf())}`]);
        });

        it("gets other labels and annotations by a patch", async () => {
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

        it("shows labels and annotations of another client as drift, which the next update takes back", async () => {
            const inputs = makeInputs({ labels: { a: "1" } }, { kubeconfig: api.kubeconfig });
            const { id, outs } = await indexedJob.create(inputs);
            (live(inputs)?.metadata["labels"] as Record<string, string>)["a"] = "other";
            const { props } = await indexedJob.read(id, outs);
            assert.equal(props?.files?.["metadata"].labels.a, "other");
            await indexedJob.update(id, props, inputs);
            assert.deepEqual(live(inputs)?.metadata["labels"], inputs.files?.["metadata"].labels);
        });

        for (const [what, metadata] of [
            [
                "has another content",
                { annotations: { "flux-minicluster/nonce": NONCE, "flux-minicluster/spec-hash": "another" } },
            ],
            [
                "is a destroyed cluster's",
                {
                    annotations: { "flux-minicluster/nonce": "another" },
                    ownerReferences: [{ kind: "Service", name: "lammps-lead", uid: "gone" }],
                },
            ],
            [
                "is an earlier lead Service's",
                { ownerReferences: [{ kind: "Service", name: "lammps-lead", uid: "gone" }] },
            ],
        ] as const) {
            it(`is made anew where it ${what}`, async () => {
                const {
                    metadata: { uid },
                } = put(inputsOf(), metadata);
                await indexedJob.create(inputsOf());
                assert.notEqual(live()?.metadata.uid, uid);
                assert.deepEqual(live()?.["data"], inputsOf().files?.["data"]);
            });
        }

        it("is taken as it is where a quota refuses a second one before Kubernetes looks at the name", async () => {
            const { metadata } = put(inputsOf());
            api.fail(/^POST .*configmaps/, 403, { message: "exceeded quota", reason: "Forbidden" });
            await indexedJob.create(inputsOf());
            assert.equal(live()?.metadata.uid, metadata.uid);
        });

        it("that a webhook has changed when it was made is as it was", async () => {
            const { id, outs } = await indexedJob.create(inputsOf());
            const made = live()!;
            const ownerReferences = [
                ...made.metadata["ownerReferences"],
                { kind: "Team", name: "theirs", uid: "team" },
            ];
            api.put("configmaps", { ...made, data: { more: "" }, metadata: { ...made.metadata, ownerReferences } });
            assert.deepEqual((await indexedJob.read(id, outs)).props, outs);
        });

        it("is left to somebody else, and no Job is made", async () => {
            const {
                metadata: { uid },
            } = put(inputsOf(), { annotations: {}, ownerReferences: [] });
            await assert.rejects(indexedJob.create(inputsOf()), {
                message:
                    `ConfigMap hpc/${nameOf(inputsOf())} can't be created: it exists and belongs to somebody else. ` +
                    "Delete it, or give the MiniCluster another name.",
            });
            assert.equal(live()?.metadata.uid, uid);
            assert.equal(api.get("jobs", "lammps"), undefined);
        });

        it("is there once where the answer to its creation got lost", async () => {
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

        it("is not made for a Job that is somebody else's", async () => {
            api.put("jobs", { metadata: { name: "lammps" } });
            await assert.rejects(indexedJob.create(inputsOf()), /belongs to somebody else/);
            assert.deepEqual(requests(), []);
        });

        it("goes with the Job", async () => {
            const { id, outs } = await indexedJob.create(inputsOf());
            await indexedJob.delete(id, outs);
            assert.equal(api.get("jobs", "lammps"), undefined);
            assert.equal(live(), undefined);
        });

        it("goes also where its TTL has removed the Job", async () => {
            const { id, outs } = await indexedJob.create(inputsOf());
            api.remove("jobs", "lammps");
            await indexedJob.delete(id, outs);
            assert.equal(live(), undefined);
        });

        it("stays where it is another cluster's by now", async () => {
            const { id, outs } = await indexedJob.create(inputsOf());
            put(inputsOf(), { annotations: { "flux-minicluster/nonce": "another" } });
            await indexedJob.delete(id, outs);
            assert.ok(live());
            assert.deepEqual(
                requests().filter((request) => request.startsWith("DELETE")),
                [],
            );
        });

        it("stays where a Job of this cluster that came after this one needs it", async () => {
            const { id, outs } = await indexedJob.create(inputsOf());
            api.remove("jobs", "lammps");
            await indexedJob.create(inputsOf());
            await indexedJob.delete(id, outs);
            assert.ok(live());
        });

        it("of a successor, if it is refused, doesn't cost the Job", async () => {
            const { id, outs } = await indexedJob.create(inputsOf());
            await indexedJob.check(outs, inputsOf(3));
            api.fail(/^POST .*configmaps/, 403, { message: "exceeded quota", reason: "Forbidden" });
            const message = `ConfigMap hpc/${nameOf(inputsOf(3))} can't be created: exceeded quota`;
            await assert.rejects(indexedJob.delete(id, outs), { message });
            assert.equal(api.get("jobs", "lammps")?.metadata.uid, parseId(id).uid);
            assert.ok(live());
        });

        it("of a successor is not made in another cluster, whose Services are others", async () => {
            const { id, outs } = await indexedJob.create(inputsOf());
            await indexedJob.check(outs, inputsOf(3));
            api.put("services", { metadata: { name: "lammps-lead", uid: "another" } });
            api.remove("jobs", "lammps");
            api.requests.length = 0;
            await assert.rejects(indexedJob.delete(id, outs), /is not replaced: neither the Job nor its Service/);
            assert.deepEqual(
                api.requests.filter((request) => request.startsWith("POST")),
                [],
            );
        });

        it("of a successor with the same content is made anew after the Job", async () => {
            const { id, outs } = await indexedJob.create(inputsOf());
            const other = inputsOf(2, { nonce: "another" });
            await indexedJob.check(outs, other);
            await indexedJob.delete(id, outs);
            assert.equal(live(), undefined);
            await indexedJob.create(other);
            assert.equal(live()?.metadata.annotations["flux-minicluster/nonce"], "another");
        });

        it("that can't be read or removed is named in the error, and another try removes it", async () => {
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

        it("is gone where somebody else was quicker to remove it", async () => {
            const { id, outs } = await indexedJob.create(inputsOf());
            api.fail(/^DELETE .*configmaps/, 404, { message: "not found", reason: "NotFound" });
            await indexedJob.delete(id, outs);
        });

        it("of a Job that is deleted is not that of its replacement, which is made after it", async () => {
            const { id, outs } = await indexedJob.create(inputsOf());
            await indexedJob.delete(id, outs);
            assert.equal(live(), undefined);
            await indexedJob.create(inputsOf(3));
            assert.ok(live(inputsOf(3)));
        });

        it("is as it was for a refresh that finds it", async () => {
            const { id, outs } = await indexedJob.create(inputsOf());
            const { props } = await indexedJob.read(id, outs);
            assert.deepEqual(props, outs);
        });

        it("that somebody has deleted is missed by a refresh, made again by the next update, and no pod is touched", async () => {
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
            ["another's", { annotations: {} }],
            ["an earlier lead Service's", { ownerReferences: [] }],
        ] as const) {
            it(`that is ${what} by now counts as gone for a refresh`, async () => {
                const { id, outs } = await indexedJob.create(inputsOf());
                put(inputsOf(), metadata);
                const { props } = await indexedJob.read(id, outs);
                assert.deepEqual((props as typeof outs).files?.["data"], {});
            });
        }

        it("is a resource of the Kubernetes provider in states of earlier versions, and left to it", async () => {
            const { files: _, ...earlier } = inputsOf();
            const { id, outs } = await indexedJob.create(earlier);
            await indexedJob.read(id, outs);
            await indexedJob.delete(id, outs);
            assert.deepEqual(requests(), []);
        });
    });

    describe("the Secret of an IndexedJob", () => {
        const SECRETS = "/api/v1/namespaces/hpc/secrets";
        const TOKEN = "hunter2";
        /** With another content, `secretVersion` is another one too. */
        const inputsOf = (token = TOKEN): IndexedJobInputs => {
            const secret = secretManifest(makeSpec(), "hpc", { "env.TOKEN": token });
            return makeInputs({}, { kubeconfig: api.kubeconfig, secret, secretVersion: token });
        };
        const live = () => api.get("secrets", "lammps-secrets");
        const tokenOf = (object = live()) => Buffer.from(object?.["data"]["env.TOKEN"] ?? "", "base64").toString();

        it("is made before the Job; it can't be changed, and is the lead Service's", async () => {
            await indexedJob.create(inputsOf());
            assert.equal(tokenOf(), TOKEN);
            assert.equal(live()?.["immutable"], true);
            assert.equal(live()?.metadata["ownerReferences"][0].uid, "service-uid");
            assert(
                api.requests.indexOf(`POST ${SECRETS}`) <
                    api.requests.findIndex((request) => /^POST .*jobs$/.test(request)),
            );
        });

        it("is taken as it is where an interrupted create has left it", async () => {
            api.fail(/^POST .*jobs/, 403, { message: "jobs is forbidden", reason: "Forbidden" });
            await assert.rejects(indexedJob.create(inputsOf()), /jobs is forbidden/);
            const uid = live()?.metadata.uid;
            await indexedJob.create(inputsOf());
            assert.equal(live()?.metadata.uid, uid);
        });

        it("with another content is made after the Job is gone that has the old one", async () => {
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

        it("is not made under a Job that an interrupted create of another one has left", async () => {
            await indexedJob.create(inputsOf());
            api.fail(/^DELETE .*jobs/, 403, { message: "jobs is forbidden", reason: "Forbidden" });
            await assert.rejects(indexedJob.create(inputsOf("hunter3")), /jobs is forbidden/);
            assert.equal(tokenOf(), TOKEN);
            await indexedJob.create(inputsOf("hunter3"));
            assert.equal(tokenOf(), "hunter3");
        });

        it("that is somebody else's stays, and no error tells what was to be in it", async () => {
            api.put("secrets", { metadata: { name: "lammps-secrets" }, data: {} });
            await assert.rejects(indexedJob.create(inputsOf()), (error: Error) => {
                assert.equal(
                    error.message,
                    "Secret hpc/lammps-secrets can't be created: it exists and belongs to somebody else. Delete it, or give the MiniCluster another name.",
                );
                assert(!inspect(error, { depth: null, showHidden: true }).includes(TOKEN));
                return true;
            });
        });

        it("is as it was for a refresh that finds it, and missed by one that doesn't", async () => {
            const { id, outs } = await indexedJob.create(inputsOf());
            assert.deepEqual((await indexedJob.read(id, outs)).props, outs);
            api.remove("secrets", "lammps-secrets");
            const { props } = await indexedJob.read(id, outs);
            assert.deepEqual((props as typeof outs).secret?.["stringData"], {});
            const { changes, replaces } = await indexedJob.diff(id, props as typeof outs, inputsOf());
            assert.deepEqual([changes, replaces], [true, []]);
            await indexedJob.update(id, props as typeof outs, inputsOf());
            assert.equal(tokenOf(), TOKEN);
        });

        it("is none where nothing is secret", async () => {
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
