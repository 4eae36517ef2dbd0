import assert from "node:assert/strict";

import { completeJob, immutablePart } from "../../../../provider/indexedJob/identity";
import { formatId, parseId } from "../../../../provider/kube/jobId";
import { claim } from "../../../../provider/kube/ownership";
import { makeInputs, makeLive, NONCE } from "../../support/jobs";

describe("completeJob", () => {
    it("gives the Job to the lead Service, so that nothing outlives it", () => {
        assert.deepEqual(completeJob(makeInputs()).metadata?.ownerReferences, [
            { apiVersion: "v1", kind: "Service", name: "lammps-lead", uid: "service-uid" },
        ]);
    });

    it("tells the pods the lead's address under its name, before other addresses", () => {
        const aliases = (args?: Parameters<typeof makeInputs>[0]) =>
            completeJob(makeInputs(args)).spec?.template.spec?.hostAliases;
        const lead = { ip: "10.96.0.7", hostnames: ["lammps-lead"] };
        assert.deepEqual(aliases(), [lead]);
        const other = { ip: "10.0.0.9", hostnames: ["licences"] };
        assert.deepEqual(aliases({ podTemplate: { spec: { hostAliases: [other] } } }), [lead, other]);
    });

    it("marks the Job beside the user's annotations", () => {
        const annotations = completeJob(makeInputs({ annotations: { a: "b" } })).metadata?.annotations;
        assert.equal(annotations?.a, "b");
        assert.equal(annotations?.["flux-minicluster/nonce"], NONCE);
        assert.match(annotations?.["flux-minicluster/spec-hash"] ?? "", /^[0-9a-f]{16}$/);
    });

    it("doesn't change the manifest", () => {
        const inputs = makeInputs();
        const before = JSON.stringify(inputs);
        completeJob(inputs);
        assert.equal(JSON.stringify(inputs), before);
    });
});

describe("claim", () => {
    const wanted = completeJob(makeInputs());

    it("knows its own Job", () => {
        assert.deepEqual(claim(makeLive(makeInputs()), wanted), { kind: "same" });
    });

    const stale: [string, Parameters<typeof makeInputs>][] = [
        ["another size", [{ size: 5 }]],
        ["another image", [{ image: "x" }]],
        [
            "another address of the lead",
            [{}, { lead: { name: "lammps-lead", uid: "service-uid", address: "10.96.0.8" } }],
        ],
        ["other triggers", [{}, { triggers: [1] }]],
        ["another run", [{}, { rerun: "run 1 failed: X" }]],
        ["another Secret", [{}, { secretVersion: "v2" }]],
    ];
    for (const [what, args] of stale) {
        it(`takes its own Job with ${what} for a stale one`, () => {
            assert.deepEqual(claim(makeLive(makeInputs(...args)), wanted), { kind: "stale" });
        });
    }

    it("takes the same wish in another order for the same", () => {
        const { manifest } = makeInputs();
        const reordered = Object.fromEntries(Object.entries(manifest).reverse());
        assert.deepEqual(claim(makeLive(makeInputs({}, { manifest: reordered })), wanted), { kind: "same" });
    });

    const owners: [string, object, string][] = [
        [
            "another MiniCluster",
            { annotations: { "flux-minicluster/nonce": "feed" } },
            "another MiniCluster (nonce feed)",
        ],
        ["a controller", { ownerReferences: [{ kind: "CronJob", name: "nightly" }] }, "CronJob nightly"],
        ["a tool", { labels: { "app.kubernetes.io/managed-by": "Helm" } }, "Helm"],
        ["a client", { managedFields: [{ manager: "kubectl-create" }] }, "kubectl-create"],
        ["nobody it knows", {}, "somebody else"],
    ];
    for (const [what, metadata, owner] of owners) {
        it(`says that a Job belongs to ${what}`, () => {
            assert.deepEqual(claim({ metadata }, wanted), { kind: "foreign", owner });
        });
    }
});

describe("the Job's id", () => {
    it("holds namespace, name and UID", () => {
        const id = formatId({ metadata: { namespace: "hpc", name: "lammps", uid: "1-2" } });
        assert.equal(id, "hpc/lammps/1-2");
        assert.deepEqual(parseId(id), { namespace: "hpc", name: "lammps", uid: "1-2" });
    });
});

describe("immutablePart", () => {
    it("is all of the spec but what Kubernetes lets one change, and of the labels only the queue", () => {
        const part = immutablePart(makeInputs({ activeDeadlineSeconds: 1, ttlSecondsAfterFinished: 1 }).manifest);
        assert.deepEqual(Object.keys(part), ["name", "namespace", "queue", "spec"]);
        assert.deepEqual(Object.keys(part.spec), [
            "completionMode",
            "podFailurePolicy",
            "podReplacementPolicy",
            "successPolicy",
            "template",
        ]);
    });
});
