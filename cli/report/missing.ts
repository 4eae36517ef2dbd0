import type { V1Job } from "@kubernetes/client-node";

import { describeSeconds } from "../../provider/contract/quantity";
import type { History } from "../../provider/flux/history";
import { formatIdset } from "../../provider/flux/idset";
import { isHeld } from "../../provider/kubernetes/sleep";
import { summaryOf } from "../../provider/observe/summary";
import type { PodRun } from "./model";
import type { Source } from "./source";

/** How long Kubernetes keeps Events by default, in milliseconds. */
const EVENTS_LAST = 3_600_000;

/** Milliseconds by which the lead's first broker starts after its container. */
const BROKER_STARTS = 60_000;

/** What the report lacks, as sentences. */
export function missingIn({ history, job, now, unread }: Source, pods: readonly PodRun[]): string[] {
    if (job === undefined) {
        return [...unread];
    }
    const ofFlux = history === undefined ? [] : [...missingJobs(history), ...missingJoins(history, pods)];
    return [...unread, ...missingPods(job, pods), ...missingEvents(job, now), ...ofFlux];
}

function missingPods(job: V1Job, pods: readonly PodRun[]): string[] {
    const there = new Set(pods.map(({ rank }) => rank));
    const absent = Array.from({ length: summaryOf(job).size }, (_, rank) => rank).filter((rank) => !there.has(rank));
    if (absent.length === 0 || isHeld(job)) {
        return [];
    }
    const which = absent.length === 1 ? `The pod of rank ${absent[0]}` : `The pods of ranks ${formatIdset(absent)}`;
    return [`${which}: Kubernetes has removed them, or not created them yet.`];
}

function missingEvents({ metadata }: V1Job, now: number): string[] {
    const age = now - new Date(metadata?.creationTimestamp ?? now).getTime();
    if (age <= EVENTS_LAST) {
        return [];
    }
    const since = `the cluster was created ${describeSeconds(age / 1000)} ago`;
    return [
        `Earlier Events: ${since}, and Kubernetes keeps Events for an hour by default. Replaced pods and warnings may be missing.`,
    ];
}

function missingJobs({ count, jobs }: History): string[] {
    return count > jobs.length
        ? [`Earlier jobs: Flux knows ${count} jobs. The report has the last ${jobs.length} of them.`]
        : [];
}

/** Flux forgets the joins of ranks when the lead's broker is restarted in its pod. */
function missingJoins({ started }: History, pods: readonly PodRun[]): string[] {
    const lead = pods.findLast(({ isGone, rank }) => rank === 0 && !isGone);
    const later = started * 1000 - (lead?.startedAt ?? Infinity);
    if (later <= BROKER_STARTS) {
        return [];
    }
    const when = `${describeSeconds(later / 1000)} after its container's start`;
    return [`Earlier joins of ranks: the lead's broker was restarted ${when}, and Flux forgets them then.`];
}
