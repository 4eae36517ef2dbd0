import type { V1Job } from "@kubernetes/client-node";

import { ELASTIC_JOB, LEAST_PODS, QUEUE_LABEL, SAME_COMPLETIONS } from "../../contract/labels";
import type { KubernetesObject } from "../../contract/object";
import { isGated } from "../../kubernetes/sleep";

/** A Job or its manifest, of which only labels and annotations tell about a queue. */
export interface Marked {
    readonly metadata?: {
        readonly annotations?: Readonly<Record<string, string>>;
        readonly labels?: Readonly<Record<string, string>>;
    };
}

/** The LocalQueue of Kueue that decides when the Job starts; undefined if none does. */
export function queueOf({ metadata }: Marked): string | undefined {
    return metadata?.labels?.[QUEUE_LABEL];
}

/** True if a queue of Kueue decides when the Job starts. It is created suspended. */
export function isQueued(job: Marked): boolean {
    return queueOf(job) !== undefined;
}

/** True if the program suspends the Job. Kueue resumes a suspended Job of a queue when it admits it. */
export function isSuspended(manifest: KubernetesObject): boolean {
    return manifest.spec?.suspend === true && !isQueued(manifest);
}

/** The least number of pods with which Kueue may start the Job; undefined if it starts all or none. */
export function leastInQueue(job: Marked): string | undefined {
    return isQueued(job) ? job.metadata?.annotations?.[LEAST_PODS] : undefined;
}

/** True if Kueue may start the Job with fewer pods than wanted. Then Kueue decides on its size. */
export function isSizedByQueue(job: Marked): boolean {
    return leastInQueue(job) !== undefined;
}

/** True if Kueue keeps the pods of a live Job when its size changes. Its webhook tells it by the gate. */
export function keepsPods({ spec }: V1Job): boolean {
    return isGated({ spec: spec?.template?.spec });
}

/** Annotations by which Kueue decides on the size of a Job. It refuses changes of them while the Job runs. */
export const SIZE_ANNOTATIONS: readonly string[] = [ELASTIC_JOB, LEAST_PODS, SAME_COMPLETIONS];
