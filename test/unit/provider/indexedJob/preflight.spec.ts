import assert from "node:assert/strict";

import type { Kube } from "../../../../provider/kubernetes/client";
import {
    growthWarning,
    refuseForeign,
    refuseOldKubernetes,
    rerunReason,
} from "../../../../provider/indexedJob/preflight";
import { UNKNOWN } from "../../../../provider/host/unknown";
import { makeInputs, makeLive } from "../../support/jobs";

const failed = { conditions: [{ type: "Failed", status: "True", reason: "BackoffLimitExceeded" }] };
const complete = { conditions: [{ type: "Complete", status: "True" }] };

describe("refuseOldKubernetes", () => {
    const kube = (major: number, minor: number) =>
        ({ server: "https://k8s", version: async () => ({ major, minor }) }) as unknown as Kube;

    for (const [major, minor] of [
        [1, 31],
        [1, 36],
        [2, 0],
    ]) {
        it(`accepts Kubernetes ${major}.${minor}`, () => refuseOldKubernetes(kube(major, minor)));
    }

    it("refuses Kubernetes 1.30, and names the missing feature", async () => {
        await assert.rejects(refuseOldKubernetes(kube(1, 30)), {
            message:
                "Kubernetes at https://k8s is 1.30; 1.31 is needed, because the lead decides about the Job by its " +
                "successPolicy. Upgrade the cluster.",
        });
    });
});

describe("refuseForeign", () => {
    const NEW = { nonce: UNKNOWN, lead: { name: "lammps-lead", uid: UNKNOWN, address: UNKNOWN } };
    const job = (nonce: string, marks: object = {}) => {
        const { metadata, ...others } = makeLive(makeInputs());
        return { ...others, metadata: { ...metadata, annotations: { "flux-minicluster/nonce": nonce, ...marks } } };
    };
    const check = (live: unknown, news: object, olds = {}, urn = "urn:new") => {
        const body = { kind: "Status", reason: "NotFound", details: { name: "lammps" } };
        const kube = { getJob: async () => live ?? Promise.reject(Object.assign(new Error(), { code: 404, body })) };
        return refuseForeign(kube as unknown as Kube, olds, makeInputs({}, { ...news, resourceUrn: urn }));
    };

    it("refuses the Job of another MiniCluster in the preview of a new stack, and names the cures", async () => {
        await assert.rejects(check(job("feed"), NEW), {
            message:
                "Job hpc/lammps exists and belongs to another MiniCluster (nonce feed). Give the MiniCluster another name or " +
                "namespace, or delete that one with its Services. docs/troubleshooting.md tells how a stack takes over a Job.",
        });
        await assert.rejects(check(job("feed", { "flux-minicluster/stack": "team/dev" }), NEW), {
            message: /belongs to another MiniCluster \(stack team\/dev\)\. Give the MiniCluster another name/,
        });
    });

    it("accepts a place without a Job", () => check(undefined, NEW));

    it("accepts the Job of a stack that has its key or its Services", async () => {
        await check(job("feed"), { ...NEW, nonce: "feed" });
        await check(job("feed"), { nonce: UNKNOWN });
    });

    it("accepts the own Job if everything is replaced, for which the engine checks a second time without state", async () => {
        await check(job("feed"), NEW, makeInputs(), "urn:replaced");
        await check(job("feed"), NEW, {}, "urn:replaced");
    });
});

describe("rerunReason", () => {
    it("names the failure of the last run", () => {
        const job = makeLive(makeInputs(), failed);
        assert.equal(
            rerunReason({ ...job, metadata: { ...job.metadata, uid: "5eb31c13-aaaa" } }, undefined),
            "run 5eb31c13 failed: BackoffLimitExceeded",
        );
    });

    for (const [what, job] of [
        ["there is no Job", undefined],
        ["the Job runs", makeLive(makeInputs(), { active: 4 })],
        ["the Job succeeded", makeLive(makeInputs(), complete)],
        [
            "the condition Failed isn't true",
            makeLive(makeInputs(), { conditions: [{ type: "Failed", status: "False" }] }),
        ],
    ] as const) {
        it(`keeps the last reason if ${what}, so that nothing is replaced again`, () => {
            assert.equal(rerunReason(job, "run 1 failed: X"), "run 1 failed: X");
            assert.equal(rerunReason(job, undefined), undefined);
        });
    }
});

describe("growthWarning", () => {
    it("says why a resize replaces the Job, and how to resize in place", () => {
        assert.equal(
            growthWarning({ maxSize: 2 }, makeInputs({}, { maxSize: 3 })),
            "maxSize changes from 2 to 3 (its default is size), so the Job is replaced. " +
                "Set maxSize to the largest size that you will need: the Job is resized in place up to that size.",
        );
    });

    for (const [what, before, after] of [
        ["before the first Job", undefined, 3],
        ["without a change of maxSize", 3, 3],
        ["for an unknown maxSize", 3, UNKNOWN],
    ]) {
        it(`says nothing ${what}`, () => {
            const news = makeInputs({}, { maxSize: after as number });
            assert.equal(growthWarning({ maxSize: before as number | undefined }, news), undefined);
        });
    }
});
