import type { V1Job, V1Pod } from "@kubernetes/client-node";

import { FLUX_CONTAINER } from "../contract/names";
import { describeSeconds } from "../duration";
import type { Kube } from "../kube/client";
import { ending } from "../kube/job";
import { formatId, parseId } from "../kube/jobId";
import { listLeadPods } from "../pods/lead";

/**
 * Describes how long the command of a Job has been running, and in how many pods; undefined if none runs. A Job without
 * a pod that has started its command loses nothing, and mostly is the reason for the change.
 */
export async function describeRun(kube: Kube, job: V1Job | undefined, now: Date): Promise<string | undefined> {
    const since = startOf(job);
    if (job === undefined || since === undefined || !(await hasStarted(kube, job))) {
        return undefined;
    }
    const seconds = (now.getTime() - since.getTime()) / 1000;
    return `has been running for ${describeSeconds(seconds)} in ${job.status?.active ?? 0} pods`;
}

/** Start of a Job with a command that hasn't ended; undefined for any other Job, and for one that is being deleted. */
function startOf(job: V1Job | undefined): Date | undefined {
    const since = job?.status?.startTime;
    if (job === undefined || since === undefined || ending(job) !== undefined || !hasCommand(job)) {
        return undefined;
    }
    return job.metadata?.deletionTimestamp === undefined ? new Date(since) : undefined;
}

/** False for a persistent cluster. The jobs on it are not counted: they are the responsibility of its users. */
function hasCommand(job: V1Job): boolean {
    const flux = job.spec?.template.spec?.containers.find(({ name }) => name === FLUX_CONTAINER);
    return (flux?.args ?? []).length > 0;
}

/**
 * True if a pod is ready, or if the broker of rank 0 has started: a pod that runs is not ready if its node doesn't
 * answer, or if a container of the user's isn't ready.
 */
async function hasStarted(kube: Kube, job: V1Job): Promise<boolean> {
    const { active = 0, ready = 0 } = job.status ?? {};
    return ready > 0 || (active > 0 && (await listLeadPods(kube, parseId(formatId(job)))).some(isStarted));
}

function isStarted({ metadata, status }: V1Pod): boolean {
    const flux = status?.containerStatuses?.find(({ name }) => name === FLUX_CONTAINER);
    return metadata?.deletionTimestamp === undefined && flux?.started === true && flux.state?.running !== undefined;
}
