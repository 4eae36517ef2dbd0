import type { V1Job } from "@kubernetes/client-node";

import type { Kube } from "../kube/client";
import { watchList } from "../kube/watch";
import type { JobId } from "./identity";

/** Waits until a Job that is being deleted is gone, which it is after its pods. */
export async function awaitGone(kube: Kube, job: JobId, timeoutSeconds: number): Promise<void> {
    const { name, namespace, uid } = job;
    const stop = new AbortController();
    let gone = false;
    const isIt = (candidate: V1Job) => candidate.metadata?.uid === uid;
    const finish = () => {
        gone = true;
        stop.abort();
    };
    const timer = setTimeout(() => stop.abort(), timeoutSeconds * 1000);
    await watchList<V1Job>(
        kube,
        { kind: "jobs", namespace, fieldSelector: `metadata.name=${name}` },
        {
            present: () => undefined,
            gone: (candidate) => (isIt(candidate) ? finish() : undefined),
            listed: (jobs) => (jobs.some(isIt) ? undefined : finish()),
        },
        stop.signal,
    ).finally(() => clearTimeout(timer));
    if (!gone) {
        throw new Error(
            `Job ${namespace}/${name} is still there ${timeoutSeconds} s after it was deleted; a pod does not end. ` +
                `Look at kubectl get pods -n ${namespace} -l batch.kubernetes.io/job-name=${name}, or raise timeouts.delete.`,
        );
    }
}
