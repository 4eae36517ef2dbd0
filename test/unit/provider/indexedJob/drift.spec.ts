import type { V1Job } from "@kubernetes/client-node";
import assert from "node:assert/strict";

import type { KubernetesObject } from "../../../../provider/contract/object";
import { liveManifest } from "../../../../provider/indexedJob/drift";
import { makeInputs, makeLive } from "../../support/jobs";

/** A Job like the manifest's, after a change to it. */
function live(
    change: (job: KubernetesObject) => void,
    args: Parameters<typeof makeInputs>[0] = {},
): [KubernetesObject, V1Job] {
    const inputs = makeInputs(args);
    const job = makeLive(inputs);
    change(job);
    return [inputs.manifest, job];
}

const podSpec = (job: KubernetesObject) => job.spec.template.spec;

describe("liveManifest", () => {
    const same: [string, (job: KubernetesObject) => void, Parameters<typeof makeInputs>[0]?][] = [
        [
            "fields that Kubernetes adds",
            (job) => {
                job.spec.selector = { matchLabels: { x: "y" } };
                job.spec.template.metadata.labels["batch.kubernetes.io/job-name"] = "lammps";
                podSpec(job).schedulerName = "default-scheduler";
                podSpec(job).containers[0].terminationMessagePath = "/dev/termination-log";
                podSpec(job).containers[0].volumeMounts[0].recursiveReadOnly = "Disabled";
            },
        ],
        [
            "zero values that Kubernetes leaves out",
            (job) => {
                delete job.spec.suspend;
                delete podSpec(job).enableServiceLinks;
                job.spec.template.spec.containers[0].env = podSpec(job).containers[0].env.map(({ name, value }: any) =>
                    value === "" ? { name } : { name, value },
                );
            },
        ],
        [
            "quantities in another form",
            (job) => {
                podSpec(job).containers[0].resources = {
                    limits: { cpu: "1500m", memory: "1Gi" },
                    requests: { cpu: "1500m", memory: "1Gi" },
                };
            },
            { resources: { limits: { cpu: "1.5", memory: "1024Mi" } } },
        ],
        ["the address of the lead, which the provider adds", () => undefined, {}],
        [
            "the address of the lead beside other addresses",
            () => undefined,
            {
                podTemplate: { spec: { hostAliases: [{ ip: "10.0.0.9", hostnames: ["licences"] }] } },
            },
        ],
        [
            "an empty list or object that Kubernetes leaves out",
            () => undefined,
            {
                podTemplate: { spec: { nodeSelector: {}, tolerations: [], securityContext: { runAsUser: null } } },
            },
        ],
    ];
    for (const [what, change, args] of same) {
        it(`finds no drift in ${what}`, () => {
            const [wanted, job] = live(change, args);
            if (what.startsWith("an empty")) {
                delete podSpec(job).nodeSelector;
                delete podSpec(job).tolerations;
                delete podSpec(job).securityContext;
            }
            assert.deepEqual(liveManifest(wanted, job), wanted);
        });
    }

    const drifted: [string, (job: KubernetesObject) => void, (manifest: KubernetesObject) => unknown, unknown][] = [
        ["a changed size", (job) => (job.spec.parallelism = 9), ({ spec }) => spec.parallelism, 9],
        ["a suspension", (job) => (job.spec.suspend = true), ({ spec }) => spec.suspend, true],
        [
            "a changed label",
            (job) => (job.metadata.labels["app.kubernetes.io/name"] = "x"),
            ({ metadata }) => metadata.labels["app.kubernetes.io/name"],
            "x",
        ],
        [
            "a removed label",
            (job) => delete job.metadata.labels["app.kubernetes.io/name"],
            ({ metadata }) => "app.kubernetes.io/name" in metadata.labels,
            false,
        ],
        [
            "a label with another form of its number",
            (job) => (job.metadata.labels.cpus = "1000m"),
            ({ metadata }) => metadata.labels.cpus,
            "1000m",
        ],
        [
            "a removed label without a value",
            (job) => delete job.metadata.labels.mark,
            ({ metadata }) => "mark" in metadata.labels,
            false,
        ],
        [
            "a changed image",
            (job) => (podSpec(job).containers[0].image = "x"),
            (manifest) => podSpec(manifest).containers[0].image,
            "x",
        ],
        [
            "a list of another length",
            (job) => podSpec(job).containers.push({ name: "mesh" }),
            (manifest) => podSpec(manifest).containers.length,
            2,
        ],
        [
            "a removed deadline",
            (job) => delete job.spec.activeDeadlineSeconds,
            ({ spec }) => spec.activeDeadlineSeconds,
            undefined,
        ],
    ];
    for (const [what, change, read, expected] of drifted) {
        it(`shows ${what} as drift`, () => {
            const [wanted, job] = live(change, { activeDeadlineSeconds: 60, labels: { cpus: "1", mark: "" } });
            const manifest = liveManifest(wanted, job);
            assert.notDeepEqual(manifest, wanted);
            assert.deepEqual(read(manifest), expected);
        });
    }

    it("leaves suspension and scheduling to the queue if there is one", () => {
        const [wanted, job] = live(
            (changed) => {
                changed.spec.suspend = false;
                podSpec(changed).nodeSelector = { flavor: "spot" };
                changed.spec.parallelism = 2;
            },
            { queueName: "team" },
        );
        const manifest = liveManifest(wanted, job);
        assert.equal(manifest.spec.suspend, true);
        assert.deepEqual(manifest.spec.template, wanted.spec.template);
        assert.equal(manifest.spec.parallelism, 2);
    });
});
