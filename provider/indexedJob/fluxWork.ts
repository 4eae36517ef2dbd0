import type { V1Job, V1Pod } from "@kubernetes/client-node";

import { FLUX_CONTAINER } from "../contract/names";
import { describeSeconds } from "../duration";
import { JobList, type LiveJob, reaches } from "../flux/liveJobs";
import type { Kube } from "../kube/client";
import { hasCode, sentence } from "../kube/failure";
import { isArchived } from "../pods/lead";
import type { Look, Work } from "./work";

/** Number of jobs that a message names. */
const MOST_NAMED = 10;

const ALLOW = 'set interrupt to "allow"';

/**
 * What the jobs of a persistent cluster lose, by its lead; undefined if they lose nothing. Without the right to run
 * commands in pods, that isn't known: a user without it must be able to change the cluster.
 */
export async function fluxWork(
    kube: Kube,
    job: V1Job,
    lead: V1Pod,
    { from = 0, mostPending = MOST_NAMED + 1, seconds }: Look,
): Promise<Work | undefined> {
    const { name = "", namespace = "" } = lead.metadata ?? {};
    const place = { namespace, pod: name, container: FLUX_CONTAINER };
    try {
        const all = await new JobList(kube, place, new AbortController().signal).list(seconds, mostPending);
        const running = from === 0 ? all.running : all.running.filter((each) => reaches(each, from));
        const pending = from === 0 ? all.pending : [];
        if (running.length + pending.length === 0) {
            return undefined;
        }
        const isKept = isArchived(job);
        const texts = { ...runningWork(running), pending: pendingWork(pending, isKept) };
        return { ...texts, jobs: { running, pending }, isArchived: isKept };
    } catch (error) {
        return {
            unknown: sentence(error),
            isSilent: !hasCode(error, 403),
            cure: `Try again, or ${ALLOW} to end what may run.`,
        };
    }
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

function describeRunning({ jobId, name, ranks, seconds }: LiveJob): string {
    return `${name} (${jobId}, ${/[,-]/.test(ranks) ? "ranks" : "rank"} ${ranks}, for ${describeSeconds(seconds)})`;
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
