import type { V1Job, V1Pod } from "@kubernetes/client-node";

import { FLUX_CONTAINER } from "../contract/names";
import { describeSeconds } from "../duration";
import type { Kube } from "../kube/client";
import { ending } from "../kube/job";
import { formatId, parseId } from "../kube/jobId";
import { asleepSince } from "../kube/sleep";
import { listLeadPods } from "../pods/lead";
import { fluxWork } from "./fluxWork";
import type { Look, Work } from "./work";

/** A cluster that sleeps has an archive. */
const ASLEEP: Work = {
    cure: "",
    isArchived: true,
    pending: "the archive keeps its pending jobs, which aren't known while it sleeps",
};

/**
 * What the command of a Job, or the jobs of a persistent cluster, lose with its pods; undefined if they lose nothing. A
 * Job without a pod that has started mostly is the reason for the change.
 */
export async function workOf(kube: Kube, job: V1Job | undefined, look: Look): Promise<Work | undefined> {
    if (asleepSince(job) !== undefined) {
        return (look.from ?? 0) > 0 ? undefined : ASLEEP;
    }
    const since = startOf(job);
    if (job === undefined || since === undefined) {
        return undefined;
    }
    return hasCommand(job)
        ? commandWork(kube, job, (look.now.getTime() - since.getTime()) / 1000)
        : fluxWork(kube, job, () => startedLead(kube, job), look);
}

async function commandWork(kube: Kube, job: V1Job, seconds: number): Promise<Work | undefined> {
    const { active = 0, ready = 0 } = job.status ?? {};
    if (ready === 0 && (await startedLead(kube, job)) === undefined) {
        return undefined;
    }
    return {
        command: { seconds, pods: active },
        running: `command has been running for ${describeSeconds(seconds)} in ${active} pods`,
        cure: 'Wait until the command ends, or set interrupt to "allow" to end it.',
    };
}

/** Start of a Job that hasn't ended and isn't being deleted; undefined for any other Job. */
function startOf(job: V1Job | undefined): Date | undefined {
    const since = job?.status?.startTime;
    if (job === undefined || since === undefined || ending(job) !== undefined) {
        return undefined;
    }
    return job.metadata?.deletionTimestamp === undefined ? new Date(since) : undefined;
}

/** False for a persistent cluster. */
function hasCommand(job: V1Job): boolean {
    const flux = job.spec?.template.spec?.containers.find(({ name }) => name === FLUX_CONTAINER);
    return (flux?.args ?? []).length > 0;
}

/** The pod of rank 0 if its broker has started. It isn't ready if its node doesn't answer, or a container of the user's isn't. */
async function startedLead(kube: Kube, job: V1Job): Promise<V1Pod | undefined> {
    const { active = 0 } = job.status ?? {};
    return active > 0 ? (await listLeadPods(kube, parseId(formatId(job)))).find(isStarted) : undefined;
}

function isStarted({ metadata, status }: V1Pod): boolean {
    const flux = status?.containerStatuses?.find(({ name }) => name === FLUX_CONTAINER);
    return metadata?.deletionTimestamp === undefined && flux?.started === true && flux.state?.running !== undefined;
}
