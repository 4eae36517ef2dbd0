import { BRIEFLY, connect } from "../kubernetes/client";
import { parseId } from "../kubernetes/jobId";
import { jobNamed } from "../observe/job";
import { isUnknown } from "../host/unknown";
import type { IndexedJobInputs, IndexedJobOutputs } from "./properties";

/**
 * Reasons with which the Job controller ends a Job as failed.
 * @see https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/job-v1/#JobStatus
 */
const FAILURES = [
    "BackoffLimitExceeded",
    "DeadlineExceeded",
    "FailedIndexes",
    "MaxFailedIndexesExceeded",
    "PodFailurePolicy",
];

/**
 * The outputs, with the failure of a Job that its TTL removed before a refresh saw its end. Kubernetes keeps the Events
 * of a removed Job for an hour.
 */
export async function withExpiredJob(
    id: string,
    olds: IndexedJobOutputs,
    news: IndexedJobInputs,
): Promise<IndexedJobOutputs> {
    const expires = olds.manifest.spec.ttlSecondsAfterFinished !== undefined;
    if (!expires || olds.finished || !news.rerunFailed || isUnknown([news.kubeconfig, news.context])) {
        return olds;
    }
    try {
        const failure = await failureOf(id, news);
        return failure === undefined ? olds : { ...olds, failure };
    } catch {
        // Preview must work without the cluster, and without the right to read Events.
        return olds;
    }
}

async function failureOf(id: string, access: IndexedJobInputs): Promise<string | undefined> {
    const { namespace, uid } = parseId(id);
    const kube = connect(access, BRIEFLY);
    if ((await jobNamed(kube, parseId(id))) !== undefined) {
        return undefined;
    }
    const { items } = await kube.core.listNamespacedEvent({ namespace, fieldSelector: `involvedObject.uid=${uid}` });
    return items.map(({ reason }) => reason).find((reason) => reason !== undefined && FAILURES.includes(reason));
}
