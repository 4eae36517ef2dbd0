import assert from "node:assert/strict";

import { job } from "../../../../components/pod/job";
import { makeFiles } from "../../support/spec";

const make = (...args: Parameters<typeof makeFiles>) => {
    const [spec, files] = makeFiles(...args);
    return job(spec, "hpc", files);
};

describe("job", () => {
    it("is an Indexed Job with a pod for each rank", () => {
        const { apiVersion, kind, metadata, spec } = make({ size: 3 });
        assert.deepEqual([apiVersion, kind, metadata.name, metadata.namespace], ["batch/v1", "Job", "lammps", "hpc"]);
        assert.deepEqual([spec.completionMode, spec.completions, spec.parallelism], ["Indexed", 3, 3]);
    });

    it("lets rank 0 alone decide about success", () => {
        assert.deepEqual(make().spec.successPolicy, { rules: [{ succeededIndexes: "0" }] });
    });

    it("doesn't count a pod that the cluster takes away as a failure of the command", () => {
        assert.deepEqual(make().spec.podFailurePolicy.rules, [
            { action: "Ignore", onPodConditions: [{ type: "DisruptionTarget", status: "True" }] },
        ]);
    });

    it("makes a new pod only when the old one has ended, for two brokers can't have one rank", () => {
        assert.equal(make().spec.podReplacementPolicy, "Failed");
    });

    it("fails with the first failure of a command and never for a cluster that stays", () => {
        assert.equal(make().spec.backoffLimit, 0);
        assert.equal(make({ command: [] }).spec.backoffLimit, 2147483647);
    });

    it("passes deadlines on, and leaves out those that aren't given", () => {
        const { spec } = make({ activeDeadlineSeconds: 60, ttlSecondsAfterFinished: 0 });
        assert.deepEqual([spec.activeDeadlineSeconds, spec.ttlSecondsAfterFinished], [60, 0]);
        const bare = Object.keys(make().spec);
        assert.ok(!bare.includes("activeDeadlineSeconds") && !bare.includes("ttlSecondsAfterFinished"));
    });

    it("is held where asked, and where a queue has to look at it first", () => {
        assert.equal(make().spec.suspend, false);
        assert.equal(make({ suspend: true }).spec.suspend, true);
        const queued = make({ queueName: "team-a" });
        assert.equal(queued.spec.suspend, true);
        assert.equal(queued.metadata.labels["kueue.x-k8s.io/queue-name"], "team-a");
    });

    it("has the user's labels and annotations, but not over its own", () => {
        const { metadata } = make({
            labels: { team: "a", "app.kubernetes.io/instance": "other" },
            jobAnnotations: { note: "x" },
        });
        assert.equal(metadata.labels.team, "a");
        assert.equal(metadata.labels["app.kubernetes.io/instance"], "lammps");
        assert.deepEqual(metadata.annotations, { note: "x" });
    });

    it("has its keys in order, so that preview shows only what changes", () => {
        const text = JSON.stringify(make());
        assert.deepEqual(Object.keys(JSON.parse(text)), ["apiVersion", "kind", "metadata", "spec"]);
        assert.ok(text.indexOf('"affinity"') < text.indexOf('"containers"'));
    });
});
