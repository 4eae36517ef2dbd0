import type { V1Job, V1Pod } from "@kubernetes/client-node";

import { isHeld } from "../../provider/kube/sleep";
import { summarize } from "../../provider/pods/pod";

/** Number of ranks that the Job wants now: none while it sleeps or is suspended. */
export function wantedRanks(job: V1Job): number {
    return isHeld(job) ? 0 : (job.spec?.parallelism ?? 1);
}

/**
 * The pods that say of the Job's present run: those of the ranks that it wants now, created since its start, which
 * Kubernetes sets again when the Job is resumed. A pod that an earlier run has left has no cause any more.
 */
export function wantedPods(job: V1Job, pods: readonly V1Pod[]): V1Pod[] {
    const wanted = wantedRanks(job);
    const { startTime } = job.status ?? {};
    const since = startTime === undefined ? 0 : new Date(startTime).getTime();
    return pods.filter((pod) => {
        const { createdAt, rank } = summarize(pod);
        return rank < wanted && createdAt >= since;
    });
}
