import type { V1Job, V1Pod } from "@kubernetes/client-node";

import { FLUX_CONTAINER } from "../contract/names";
import { describeSeconds } from "../contract/quantity";
import { amountInWords, endOfWait, fetchCommand } from "../contract/results";
import { describeRunning, JobList, type LiveJob, type LiveJobs, reaches, shownName } from "../flux/liveJobs";
import type { Kube } from "../kubernetes/client";
import { hasCode, sentence } from "../kubernetes/failures/failure";
import { ending } from "../kubernetes/job";
import { formatId, parseId } from "../kubernetes/jobId";
import { asleepSince } from "../kubernetes/sleep";
import { isArchived } from "../observe/pods/archive";
import { listLeadPods } from "../observe/pods/lead";
import { hasCommand } from "../observe/summary";
import { waitingResults } from "../observe/waitingResults";
import { type Look, obstacle, type Obstacle, type Work } from "./work";

/** Number of jobs that a message names. */
const MOST_NAMED = 10;

const ALLOW = 'set interrupt to "allow"';

/** A cluster that sleeps has an archive, which its successor may not get. */
const asleep = (isKept: boolean): Work => ({
    cure: "",
    isArchived: isKept,
    pending: isKept
        ? "the archive keeps its pending jobs, which aren't known while it sleeps"
        : "the jobs that wait in its archive aren't known while it sleeps, and the cluster that follows has another queue",
});

/**
 * What the command of a Job, or the jobs of a persistent cluster, lose with its pods; undefined if they lose nothing. A
 * Job without a pod that has started mostly is the reason for the change.
 */
export async function workOf(kube: Kube, job: V1Job | undefined, look: Look): Promise<Work | undefined> {
    if (asleepSince(job) !== undefined) {
        return (look.from ?? 0) > 0 ? undefined : asleep(look.keepsQueue !== false);
    }
    const since = startOf(job);
    if (job === undefined || since === undefined) {
        return undefined;
    }
    return hasCommand(job)
        ? commandWork(kube, job, (look.now.getTime() - since.getTime()) / 1000)
        : fluxWork(kube, job, look);
}

/** What forbids to end the work of a Job without permission; undefined if nothing does. */
export async function obstacleTo(kube: Kube, job: V1Job, look: Look): Promise<Obstacle | undefined> {
    const work = await workOf(kube, job, look);
    return work && obstacle(work);
}

async function commandWork(kube: Kube, job: V1Job, seconds: number): Promise<Work | undefined> {
    const { active = 0, ready = 0 } = job.status ?? {};
    const results = active > 0 ? await waitingResults(kube, job) : undefined;
    if (results !== undefined) {
        const command = fetchCommand(job.metadata ?? {});
        const cure = `Fetch them by ${command} until ${endOfWait(results)}, or ${ALLOW} to lose them.`;
        return { results, running: `results (${amountInWords(results)}) are not fetched`, cure };
    }
    if (ready === 0 && (await startedLead(kube, job)) === undefined) {
        return undefined;
    }
    return {
        command: { seconds, pods: active },
        running: `command has been running for ${describeSeconds(seconds)} in ${active} pods`,
        cure: `Wait until the command ends, or ${ALLOW} to end it.`,
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

/** The pod of rank 0 if its broker has started. It isn't ready if its node doesn't answer, or a container of the user's isn't. */
async function startedLead(kube: Kube, job: V1Job): Promise<V1Pod | undefined> {
    const { active = 0 } = job.status ?? {};
    return active > 0 ? (await listLeadPods(kube, parseId(formatId(job)))).find(isStarted) : undefined;
}

function isStarted({ metadata, status }: V1Pod): boolean {
    const flux = status?.containerStatuses?.find(({ name }) => name === FLUX_CONTAINER);
    return metadata?.deletionTimestamp === undefined && flux?.started === true && flux.state?.running !== undefined;
}

/**
 * What the jobs of a persistent cluster lose, by its lead; undefined if they lose nothing, or if no lead has started.
 * Without the right to run commands in pods, that isn't known: a user without it must be able to change the cluster.
 */
async function fluxWork(kube: Kube, job: V1Job, look: Look): Promise<Work | undefined> {
    let lead: V1Pod | undefined;
    try {
        lead = await startedLead(kube, job);
        const jobs = lead === undefined ? undefined : await endingJobs(kube, lead, look);
        return jobs && describeJobs(jobs, isArchived(job) && look.keepsQueue !== false);
    } catch (error) {
        return {
            unknown: sentence(error),
            isSilent: lead === undefined || !hasCode(error, 403),
            cure: `Try again, or ${ALLOW} to end what may run.`,
        };
    }
}

async function endingJobs(
    kube: Kube,
    { metadata }: V1Pod,
    { from = 0, mostPending = MOST_NAMED + 1, seconds }: Look,
): Promise<LiveJobs> {
    const { name: pod = "", namespace = "" } = metadata ?? {};
    const list = new JobList(kube, { namespace, pod, container: FLUX_CONTAINER }, new AbortController().signal);
    const all = await list.list(seconds, mostPending);
    return from === 0 ? all : { running: all.running.filter((each) => reaches(each, from)), pending: [] };
}

function describeJobs(jobs: LiveJobs, isKept: boolean): Work | undefined {
    const { pending, running } = jobs;
    return running.length + pending.length === 0
        ? undefined
        : { ...runningWork(running), pending: pendingWork(pending, isKept), jobs, isArchived: isKept };
}

function runningWork(jobs: readonly LiveJob[]): Work {
    if (jobs.length === 0) {
        return { cure: "" };
    }
    const isOne = jobs.length === 1;
    const each = jobs.slice(0, MOST_NAMED).map(describeRunning);
    return {
        running: `Flux ${isOne ? "job runs" : `jobs (${jobs.length}) run`}: ${listed(each, jobs.length - each.length)}`,
        cure: isOne
            ? `Wait until it ends, cancel it, or ${ALLOW} to end it.`
            : `Wait until they end, cancel them, or ${ALLOW} to end them.`,
    };
}

function pendingWork(jobs: readonly LiveJob[], isKept: boolean): string | undefined {
    if (jobs.length === 0) {
        return undefined;
    }
    const some = jobs.slice(0, MOST_NAMED).map((job) => `${shownName(job)} (${job.jobId})`);
    const rest = jobs.length > MOST_NAMED ? ", and more" : "";
    return `${isKept ? "the archive keeps its pending jobs" : "its pending jobs are lost"}: ${some.join(", ")}${rest}`;
}

function listed(texts: readonly string[], more: number): string {
    return `${texts.join(", ")}${more > 0 ? `, and ${more} more` : ""}`;
}
