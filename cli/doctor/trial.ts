import type { V1Job, V1PodTemplateSpec } from "@kubernetes/client-node";

/** An image for a place in which no cluster has named one. A dry run pulls nothing. */
const IMAGE = "fluxrm/flux-core:bookworm-v0.88.0";

/** Labels that the API server gives a Job's pods, and refuses for another Job. */
const OF_JOB = /^(?:controller-uid|job-name|batch\.kubernetes\.io\/.*)$/;

/** A Job of one pod as the cluster's, or as that of a MiniCluster with default arguments. */
export async function trialJob(namespace: string, live: V1Job | undefined): Promise<V1Job> {
    return live === undefined ? defaultJob(namespace) : likeJob(namespace, live);
}

/** Loads the components, and with them Pulumi, only for a place that has no cluster. */
async function defaultJob(namespace: string): Promise<V1Job> {
    const [{ resolveSpec }, { configFiles }, { job }] = await Promise.all([
        import("../../components/arguments/decide.js"),
        import("../../components/pod/configMap.js"),
        import("../../components/pod/job.js"),
    ]);
    const spec = resolveSpec("minicluster-doctor", { image: IMAGE });
    return job(spec, namespace, configFiles(spec));
}

function likeJob(namespace: string, { metadata, spec }: V1Job): V1Job {
    const { selector: _selector, template, ...rest } = spec ?? { template: {} };
    return {
        apiVersion: "batch/v1",
        kind: "Job",
        metadata: { name: `${metadata?.name?.slice(0, 50)}-doctor`, namespace, labels: metadata?.labels },
        spec: { ...rest, completions: 1, parallelism: 1, template: withoutMarks(template) },
    };
}

function withoutMarks({ metadata, spec }: V1PodTemplateSpec): V1PodTemplateSpec {
    const labels = Object.entries(metadata?.labels ?? {}).filter(([name]) => !OF_JOB.test(name));
    return { metadata: { annotations: metadata?.annotations, labels: Object.fromEntries(labels) }, spec };
}
