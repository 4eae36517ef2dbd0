export const JOB_NAME_LABEL = "batch.kubernetes.io/job-name";

export const INDEX_LABEL = "batch.kubernetes.io/job-completion-index";

/**
 * Annotations of a pod with the number of earlier pods of its index that count as failures, and of those that don't.
 * Kubernetes sets them in a Job with `backoffLimitPerIndex`.
 * @see https://kubernetes.io/docs/reference/labels-annotations-taints/
 */
export const FAILURES = "batch.kubernetes.io/job-index-failure-count";
export const REMOVALS = "batch.kubernetes.io/job-index-ignored-failure-count";

/** Annotations that this package sets on the objects that it creates. */
export const ANNOTATIONS = {
    /** Marks the objects of one MiniCluster: a create recognises by it what an interrupted create left. */
    nonce: "flux-minicluster/nonce",
    /** Project and stack that created the lead Service or the Job, for the message to another stack that wants the name. */
    stack: "flux-minicluster/stack",
    /** Hash of the wanted Job: a Job with another hash is not adopted. */
    specHash: "flux-minicluster/spec-hash",
    /** Why the Job was run again: the failure of the previous run. */
    rerun: "flux-minicluster/rerun",
    /** Size, need and reason of a cluster that sizes itself: elastic_job.py has the same name. */
    elastic: "flux-minicluster/elastic",
    /** When such a cluster removes ranks and sleeps, in JSON. Its lead reads it: elastic_job.py has the same name. */
    elasticSettings: "flux-minicluster/elastic-settings",
    /** Since when a cluster sleeps that has suspended itself: elastic_job.py has the same name. */
    asleep: "flux-minicluster/asleep",
} as const;

/** Label of a Job and of the parts of its code, with the code's hash. */
export const CODE_LABEL = "flux-minicluster/code";

/** Labels of everything that belongs to a MiniCluster. */
export function labelsOf(cluster: string): Record<string, string> {
    return {
        "app.kubernetes.io/instance": cluster,
        "app.kubernetes.io/managed-by": "pulumi",
        "app.kubernetes.io/name": "flux-minicluster",
    };
}

/** Selects all pods of the cluster. */
export function podSelector(cluster: string): Record<string, string> {
    return { [JOB_NAME_LABEL]: cluster };
}

/** Selects the pod of rank 0. */
export function leadSelector(cluster: string): Record<string, string> {
    return { [JOB_NAME_LABEL]: cluster, [INDEX_LABEL]: "0" };
}

/** Label that names a Job's queue for Kueue. @see https://kueue.sigs.k8s.io/docs/tasks/run/jobs/ */
export const QUEUE_LABEL = "kueue.x-k8s.io/queue-name";

/** Label that names the WorkloadPriorityClass of a Job. @see https://kueue.sigs.k8s.io/docs/tasks/manage/run_job_with_workload_priority/ */
export const QUEUE_PRIORITY_LABEL = "kueue.x-k8s.io/priority-class";

/**
 * Annotation of a Job that keeps its pods when its size changes. Kueue accepts no later change of it.
 * @see https://kueue.sigs.k8s.io/docs/concepts/elastic_workload/
 */
export const ELASTIC_JOB = "kueue.x-k8s.io/elastic-job";

/** The scheduling gate that pods of such a Job have until their queue admits them. Kueue's webhook adds it to the Job. */
export const ELASTIC_GATE = "kueue.x-k8s.io/elastic-job";

/** Annotation with the least number of pods with which Kueue may start a Job: partial admission. */
export const LEAST_PODS = "kueue.x-k8s.io/job-min-parallelism";

/** Annotation by which Kueue lowers the completions of such a Job together with its parallelism. */
export const SAME_COMPLETIONS = "kueue.x-k8s.io/job-completions-equal-parallelism";
