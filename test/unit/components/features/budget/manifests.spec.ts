import assert from "node:assert/strict";

import type { MiniClusterArgs, PlainArgs } from "../../../../../components/args";
import { budget } from "../../../../../components/features/budget";
import { disruptionBudget } from "../../../../../components/features/budget/manifest";
import { job } from "../../../../../components/pod/job";
import { makeFiles, makeSpec, problemsOf } from "../../../support/spec";

function jobOf(overrides: Partial<PlainArgs>) {
    const [spec, files] = makeFiles({ command: [], disruptionBudget: true, ...overrides });
    return job(spec, "hpc", files).spec;
}

const podOf = (overrides: Partial<PlainArgs>) => jobOf(overrides).template;

describe("a cluster with a disruption budget", () => {
    it("has a budget for all ranks at first, which admits no eviction of a pod that is ready", () => {
        const { metadata, spec } = disruptionBudget(makeSpec({ disruptionBudget: true, maxSize: 8, minSize: 1 }));
        assert.equal(metadata.name, "lammps");
        assert.deepEqual(spec, {
            minAvailable: 8,
            selector: { matchLabels: { "batch.kubernetes.io/job-name": "lammps" } },
            unhealthyPodEvictionPolicy: "AlwaysAllow",
        });
    });

    it("has a container with the token if it is persistent, and only the budget with a command", () => {
        const names = (overrides: Partial<PlainArgs>) =>
            (podOf(overrides).spec.initContainers ?? []).map(({ name }: { name: string }) => name);
        assert.ok(names({}).includes("flux-budget"));
        assert.ok(!names({ command: ["a"] }).includes("flux-budget"));
        assert.ok(!names({ disruptionBudget: false }).includes("flux-budget"));
        const { containers, initContainers } = podOf({}).spec;
        const hasToken = ({ volumeMounts }: { volumeMounts: { name: string }[] }) =>
            volumeMounts.some(({ name }) => name === "flux-budget");
        assert.deepEqual(
            [...containers, ...initContainers].filter(hasToken).map(({ name }) => name),
            ["flux-budget"],
        );
    });

    it("tells the container whether the queue outlives the lead", () => {
        const { env } = podOf({ archive: { hostPath: "/archive" } }).spec.initContainers.find(
            ({ name }: { name: string }) => name === "flux-budget",
        );
        assert.ok(env.some(({ name }: { name: string }) => name === "MINICLUSTER_ARCHIVE"));
    });

    it("counts the evictions of each rank by itself, so that the back-off of one doesn't delay the others", () => {
        assert.equal(jobOf({}).backoffLimitPerIndex, 2147483647);
        assert.equal(jobOf({ disruptionBudget: false }).backoffLimitPerIndex, undefined);
    });

    it("doesn't ask autoscalers to keep the nodes of idle ranks, unless it is told to", () => {
        const keeps = (overrides: Partial<PlainArgs>) =>
            podOf(overrides).metadata.annotations?.["karpenter.sh/do-not-disrupt"];
        assert.deepEqual([keeps({ command: ["a"] }), keeps({ command: ["a"], keepNodes: true })], [undefined, "true"]);
        assert.equal(keeps({ command: ["a"], disruptionBudget: false }), "true");
    });

    it("is refused if jobs could read the token", () => {
        const shared = { podTemplate: { spec: { shareProcessNamespace: true } }, disruptionBudget: true };
        const problems = (args: Partial<PlainArgs>) => problemsOf(budget, makeSpec({ ...shared, ...args }));
        assert.deepEqual(problems({ command: [] }), [
            "podTemplate: has spec.shareProcessNamespace true, so that jobs could read the token with the right to the " +
                "PodDisruptionBudget. Remove it, or remove disruptionBudget.",
        ]);
        assert.deepEqual(problems({ command: ["a"] }), []);
    });

    it("needs the right unless a command is given, also as an Output", () => {
        const needs = (command: MiniClusterArgs["command"]) =>
            budget.rights?.areNeeded({ command, disruptionBudget: true });
        assert.deepEqual([undefined, [], ["a"], Promise.resolve([])].map(needs), [true, true, false, false]);
    });
});
