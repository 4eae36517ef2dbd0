import assert from "node:assert/strict";

import { job } from "../../../../components/pod/job";
import { makeFiles } from "../../support/spec";

const make = (...args: Parameters<typeof makeFiles>) => {
    const [spec, files] = makeFiles(...args);
    return job(spec, "hpc", files);
};

describe("job", () => {
    it("is an Indexed Job with one pod for each rank", () => {
        const { apiVersion, kind, metadata, spec } = make({ size: 3 });
        assert.deepEqual([apiVersion, kind, metadata.name, metadata.namespace], ["batch/v1", "Job", "lammps", "hpc"]);
        assert.deepEqual([spec.completionMode, spec.completions, spec.parallelism], ["Indexed", 3, 3]);
    });

    it("lets only the lead decide about success", () => {
        assert.deepEqual(make().spec.successPolicy, { rules: [{ succeededIndexes: "0" }] });
    });

    it("doesn't count a pod that Kubernetes evicts as a failure of the command", () => {
        assert.deepEqual(make().spec.podFailurePolicy.rules, [
            { action: "Ignore", onPodConditions: [{ type: "DisruptionTarget", status: "True" }] },
        ]);
    });

    it("recreates a pod only after the old one has ended, because two brokers can't have one rank", () => {
        assert.equal(make().spec.podReplacementPolicy, "Failed");
    });

    it("fails at the first failure of a command, and never in a persistent cluster", () => {
        assert.equal(make().spec.backoffLimit, 0);
        assert.equal(make({ command: [] }).spec.backoffLimit, 2147483647);
    });

    it("has the given deadlines, and leaves out those that aren't given", () => {
        const { spec } = make({ activeDeadlineSeconds: 60, ttlSecondsAfterFinished: 0 });
        assert.deepEqual([spec.activeDeadlineSeconds, spec.ttlSecondsAfterFinished], [60, 0]);
        const bare = Object.keys(make().spec);
        assert.ok(!bare.includes("activeDeadlineSeconds") && !bare.includes("ttlSecondsAfterFinished"));
    });

    it("is suspended if suspend is true, or if a queue has to admit it first", () => {
        assert.equal(make().spec.suspend, false);
        assert.equal(make({ suspend: true }).spec.suspend, true);
        const queued = make({ queueName: "team-a" });
        assert.equal(queued.spec.suspend, true);
        assert.equal(queued.metadata.labels["kueue.x-k8s.io/queue-name"], "team-a");
    });

    it("has the user's labels and annotations, which don't override its own", () => {
        const { metadata } = make({
            labels: { team: "a" },
            annotations: { note: "x" },
        });
        assert.equal(metadata.labels.team, "a");
        assert.equal(metadata.labels["app.kubernetes.io/instance"], "lammps");
        assert.deepEqual(metadata.annotations, { note: "x" });
    });

    it("has sorted keys, so that a preview shows only changes", () => {
        const text = JSON.stringify(make());
        assert.deepEqual(Object.keys(JSON.parse(text)), ["apiVersion", "kind", "metadata", "spec"]);
        assert.ok(text.indexOf('"affinity"') < text.indexOf('"containers"'));
    });
});
