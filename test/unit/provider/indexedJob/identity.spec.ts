import assert from "node:assert/strict";

import { completeJob, immutablePart } from "../../../../provider/indexedJob/identity";
import { formatId, parseId } from "../../../../provider/kubernetes/jobId";
import { claim, refusalOfForeign } from "../../../../provider/kubernetes/ownership";
import { makeInputs, makeLive, NONCE } from "../../support/jobs";

describe("completeJob", () => {
    it("makes the lead Service the owner of the Job, so that nothing outlives the Service", () => {
        assert.deepEqual(completeJob(makeInputs()).metadata?.ownerReferences, [
            { apiVersion: "v1", kind: "Service", name: "lammps-lead", uid: "service-uid" },
        ]);
    });

    it("gives the pods the lead's address and name as the first host alias", () => {
        const aliases = (args?: Parameters<typeof makeInputs>[0]) =>
            completeJob(makeInputs(args)).spec?.template.spec?.hostAliases;
        const lead = { ip: "10.96.0.7", hostnames: ["lammps-lead"] };
        assert.deepEqual(aliases(), [lead]);
        const other = { ip: "10.0.0.9", hostnames: ["licences"] };
        assert.deepEqual(aliases({ podTemplate: { spec: { hostAliases: [other] } } }), [lead, other]);
    });

    it("adds the Job's marks to the user's annotations", () => {
        const annotations = completeJob(makeInputs({ annotations: { a: "b" } })).metadata?.annotations;
        assert.equal(annotations?.a, "b");
        assert.equal(annotations?.["flux-minicluster/nonce"], NONCE);
        assert.match(annotations?.["flux-minicluster/spec-hash"] ?? "", /^[0-9a-f]{16}$/);
    });

    it("hashes triggers with a secret key, so that nobody can guess them from the hash", () => {
        const hash = (overrides: Parameters<typeof makeInputs>[1]) =>
            completeJob(makeInputs({}, overrides)).metadata?.annotations?.["flux-minicluster/spec-hash"];
        assert.notEqual(hash({ triggers: ["1234"], markKey: "a" }), hash({ triggers: ["1234"], markKey: "b" }));
        assert.notEqual(hash({ triggers: ["1234"], markKey: "a" }), hash({ triggers: ["1235"], markKey: "a" }));
        assert.equal(hash({ markKey: "a" }), hash({}), "the hash of a Job without triggers stays as it was");
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

    it("recognises its own Job", () => {
        assert.equal(claim(makeLive(makeInputs()), wanted), "same");
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
        it(`treats its own Job with ${what} as stale`, () => {
            assert.equal(claim(makeLive(makeInputs(...args)), wanted), "stale");
        });
    }

    it("ignores the order of the manifest's keys", () => {
        const { manifest } = makeInputs();
        const reordered = Object.fromEntries(Object.entries(manifest).reverse());
        assert.equal(claim(makeLive(makeInputs({}, { manifest: reordered })), wanted), "same");
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
        ["an unknown owner", {}, "another client"],
    ];
    for (const [what, metadata, owner] of owners) {
        it(`reports that a Job belongs to ${what}`, () => {
            assert.equal(claim({ metadata }, wanted), "foreign");
            const text = refusalOfForeign("Job hpc/lammps", { metadata });
            assert.ok(text.startsWith(`Job hpc/lammps exists and belongs to ${owner}. Give`), text);
        });
    }
});

describe("the Job's id", () => {
    it("contains namespace, name and UID", () => {
        const id = formatId({ metadata: { namespace: "hpc", name: "lammps", uid: "1-2" } });
        assert.equal(id, "hpc/lammps/1-2");
        assert.deepEqual(parseId(id), { namespace: "hpc", name: "lammps", uid: "1-2" });
    });
});

describe("immutablePart", () => {
    it("contains the spec without the fields that can change, and of the metadata only what a queue fixes", () => {
        const part = immutablePart(makeInputs({ activeDeadlineSeconds: 1, ttlSecondsAfterFinished: 1 }).manifest);
        assert.deepEqual(Object.keys(part), ["name", "namespace", "queue", "hasPriority", "leastPods", "spec"]);
        assert.deepEqual(Object.keys(part.spec), [
            "completionMode",
            "podFailurePolicy",
            "podReplacementPolicy",
            "successPolicy",
            "template",
        ]);
    });
});
