import assert from "node:assert/strict";

import type { PlainArgs } from "../../../../components/args";
import { Placement } from "../../../../components/features/placement";
import { diffJob } from "../../../../provider/indexedJob/diff";
import type { IndexedJobInputs } from "../../../../provider/indexedJob/properties";
import { UNKNOWN } from "../../../../provider/host/unknown";
import { makeInputs, makeOutputs } from "../../support/jobs";

const nothing = { changes: false, replaces: [], deleteBeforeReplace: true };
const patch = { changes: true, replaces: [], deleteBeforeReplace: true };
const replace = (...names: string[]) => ({ changes: true, replaces: names, deleteBeforeReplace: true });

describe("diffJob", () => {
    it("finds no change if nothing has changed", () => {
        assert.deepEqual(diffJob(makeOutputs(), makeInputs()), nothing);
    });

    const patched: [string, Partial<PlainArgs>, Partial<PlainArgs>][] = [
        ["size", { size: 2, minSize: 2, maxSize: 4 }, { size: 3, minSize: 2, maxSize: 4 }],
        ["suspend", {}, { suspend: true }],
        ["activeDeadlineSeconds", {}, { activeDeadlineSeconds: 60 }],
        ["ttlSecondsAfterFinished", { ttlSecondsAfterFinished: 1 }, {}],
        ["backoffLimit", {}, { backoffLimit: 3 }],
        ["annotations", {}, { annotations: { a: "b" } }],
        ["labels", {}, { labels: { a: "b" } }],
        ["rerunFailed", {}, { rerunFailed: false }],
        ["timeouts.delete", {}, { timeouts: { delete: 10 } }],
    ];
    for (const [what, before, after] of patched) {
        it(`patches the Job for a change of ${what}`, () => {
            assert.deepEqual(diffJob(makeOutputs(before), makeInputs(after)), patch);
        });
    }

    const replaced: [string, Partial<PlainArgs>][] = [
        ["image", { image: "other" }],
        ["command", { command: ["other"] }],
        ["environment", { environment: { A: "1" } }],
        ["resources", { resources: { limits: { cpu: "1" } } }],
        ["placement", { placement: Placement.Pack }],
        ["podLabels", { podLabels: { a: "b" } }],
        ["podAnnotations", { podAnnotations: { a: "b" } }],
        ["hooks", { hooks: { pre: "true" } }],
        ["broker.port", { broker: { port: 1 } }],
        ["name", { name: "other" }],
        ["podTemplate", { podTemplate: { spec: { hostIPC: true } } }],
    ];
    for (const [what, after] of replaced) {
        it(`replaces the Job for a change of ${what}`, () => {
            assert.deepEqual(diffJob(makeOutputs(), makeInputs(after)), replace("manifest"));
        });
    }

    for (const [what, before, after] of [
        ["that gets a queue", {}, { queueName: "a" }],
        ["that gets another queue", { queueName: "a" }, { queueName: "b" }],
        ["that loses its queue", { queueName: "a" }, {}],
    ] as const) {
        it(`replaces a Job ${what}, because Kueue accepts no other queue for an admitted Job`, () => {
            assert.deepEqual(diffJob(makeOutputs(before), makeInputs(after)), replace("manifest"));
        });
    }

    const inputs: [keyof IndexedJobInputs, unknown][] = [
        ["nonce", "other"],
        ["lead", { name: "lammps-lead", uid: "other", address: "10.96.0.7" }],
        ["lead", { name: "lammps-lead", uid: "service-uid", address: "10.96.0.8" }],
        ["lead", UNKNOWN],
        ["secretVersion", "v2"],
        ["triggers", ["now"]],
        ["rerun", "run 1234 failed: BackoffLimitExceeded"],
    ];
    for (const [name, value] of inputs) {
        it(`replaces the Job if ${name} becomes ${value === UNKNOWN ? "unknown" : JSON.stringify(value)}`, () => {
            assert.deepEqual(diffJob(makeOutputs(), makeInputs({}, { [name]: value })), replace(name));
        });
    }

    for (const name of ["nonce", "secretVersion", "triggers", "manifest", "files", "secret"] as const) {
        it(`keeps the Job if ${name} becomes unknown, because its value may stay the same`, () => {
            assert.deepEqual(diffJob(makeOutputs(), makeInputs({}, { [name]: UNKNOWN })), patch);
        });
    }

    it("compares the known parts of a manifest that is unknown in part", () => {
        const { manifest } = makeInputs();
        const unknown = { ...manifest, metadata: { ...manifest.metadata, namespace: UNKNOWN } };
        assert.deepEqual(diffJob(makeOutputs(), makeInputs({}, { manifest: unknown })), patch);
        const other = { ...unknown, spec: { ...manifest.spec, podReplacementPolicy: "TerminatingOrFailed" } };
        assert.deepEqual(diffJob(makeOutputs(), makeInputs({}, { manifest: other })), replace("manifest"));
    });

    it("replaces the Job if a transform changes the content of the ConfigMap or of the Secret", () => {
        const { files } = makeInputs();
        const other = { ...files, data: { ...files?.["data"], more: "text" } };
        assert.deepEqual(diffJob(makeOutputs(), makeInputs({}, { files: other })), replace("files"));
        const secret = (value: string) => ({ kind: "Secret", metadata: {}, stringData: { key: value } });
        const had = makeOutputs({}, { secret: secret("one") });
        assert.deepEqual(diffJob(had, makeInputs({}, { secret: secret("two") })), replace("secret"));
    });

    it("keeps the Job if a refresh has found no ConfigMap or Secret, or the IndexedJob had none", () => {
        const { files } = makeInputs();
        assert.deepEqual(diffJob(makeOutputs({}, { files: { ...files, data: {} } }), makeInputs()), patch);
        assert.deepEqual(diffJob(makeOutputs({}, { files: undefined }), makeInputs()), patch);
    });

    it("treats an empty list of triggers as no triggers", () => {
        assert.deepEqual(diffJob(makeOutputs(), makeInputs({}, { triggers: [] })), nothing);
    });

    for (const name of ["kubeconfig", "context", "interrupt"] as const) {
        it(`only stores a change of ${name}`, () => {
            assert.deepEqual(diffJob(makeOutputs(), makeInputs({}, { [name]: "other" })), patch);
        });
    }

    it("stores whether the size is left to another client", () => {
        assert.deepEqual(diffJob(makeOutputs(), makeInputs({}, { sizedBy: "autoscaler" })), patch);
        assert.deepEqual(diffJob(makeOutputs({}, { sizedBy: "autoscaler" }), makeInputs()), patch);
    });

    it("ignores the URN, which only serves the progress lines", () => {
        assert.deepEqual(
            diffJob(makeOutputs({}, { resourceUrn: "urn:a" }), makeInputs({}, { resourceUrn: "urn:b" })),
            nothing,
        );
    });

    it("replaces the Job if another client has changed its template", () => {
        const drifted = structuredClone(makeInputs().manifest);
        drifted.spec.template.spec.containers[0].image = "hacked";
        assert.deepEqual(diffJob(makeOutputs({}, { manifest: drifted }), makeInputs()), replace("manifest"));
    });
});
