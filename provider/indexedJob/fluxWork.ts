import type { V1Job, V1Pod } from "@kubernetes/client-node";

import { FLUX_CONTAINER } from "../contract/names";
import { describeRunning, JobList, type LiveJob, type LiveJobs, reaches } from "../flux/liveJobs";
import type { Kube } from "../kube/client";
import { hasCode, sentence } from "../kube/failure";
import { isArchived } from "../pods/lead";
import type { Look, Work } from "./work";

/** Number of jobs that a message names. */
const MOST_NAMED = 10;

const ALLOW = 'set interrupt to "allow"';

/**
 * What the jobs of a persistent cluster lose, by its lead; undefined if they lose nothing, or if no lead has started.
 * Without the right to run commands in pods, that isn't known: a user without it must be able to change the cluster.
 */
export async function fluxWork(
    kube: Kube,
    job: V1Job,
    startedLead: () => Promise<V1Pod | undefined>,
    look: Look,
): Promise<Work | undefined> {
    let lead: V1Pod | undefined;
    try {
        lead = await startedLead();
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
    const some = jobs.slice(0, MOST_NAMED).map(({ jobId, name }) => `${name} (${jobId})`);
    const rest = jobs.length > MOST_NAMED ? ", and more" : "";
    return `${isKept ? "the archive keeps its pending jobs" : "its pending jobs are lost"}: ${some.join(", ")}${rest}`;
}

function listed(texts: readonly string[], more: number): string {
    return `${texts.join(", ")}${more > 0 ? `, and ${more} more` : ""}`;
}
