import { isDeepStrictEqual } from "node:util";

import { isUnknown } from "../host/unknown";
import type { JobStatusInputs, JobStatusOutputs, Phase } from "./properties";
import { areLeft } from "./results";

/** True if the recorded phase is the goal of the wait. */
function isReached({ ephemeral, phase, suspend, waitFor }: JobStatusOutputs): boolean {
    if (suspend) {
        // A command that has ended can't be suspended any more.
        return phase === "suspended" || (ephemeral && ["expired", "succeeded"].includes(phase));
    }
    const goals: Record<string, readonly Phase[]> = {
        completed: ["succeeded"],
        none: ["asleep", "expired", "pending", "queued", "ready", "running", "starting", "succeeded", "suspended"],
        ready: ["expired", "ready", "running", "succeeded"],
    };
    return goals[waitFor]?.includes(phase) ?? false;
}

/** The phases that a cluster takes without a user: it sleeps without jobs, and a job wakes it. */
const OWN_PHASES: readonly Phase[] = ["asleep", "pending", "starting"];

/** True for a phase that a cluster which sizes itself has taken. */
export function isOwnPhase(phase: Phase, { sizedBy, suspend }: JobStatusInputs): boolean {
    return sizedBy === "cluster" && !suspend && OWN_PHASES.includes(phase);
}

/**
 * True if an update has to wait. In a refresh, a cluster that sleeps or wakes counts as one that has reached its goal:
 * nobody has changed it.
 */
export function needsWait(olds: JobStatusOutputs, news: JobStatusInputs, inRefresh: boolean): boolean {
    const subject = ({ job, size, suspend, waitFor, wake }: JobStatusInputs) => [
        job,
        news.sizedBy ?? size,
        suspend,
        waitFor,
        wake,
    ];
    const changed = isUnknown(news.job) || !isDeepStrictEqual(subject(olds), subject(news));
    // The former TTL may have removed the Job, which only this update knows: the Job is looked at once more.
    const losesTtl = olds.expires !== undefined && news.expires !== olds.expires;
    return (
        changed || losesTtl || mayFetch(olds, news) || !(isReached(olds) || (inRefresh && isOwnPhase(olds.phase, olds)))
    );
}

/** True if the limit is raised for results that an update has left. */
function mayFetch({ keeps: before, results }: JobStatusOutputs, { keeps }: JobStatusInputs): boolean {
    return areLeft(results) && (keeps?.limit ?? 0) > (before?.limit ?? 0);
}

/**
 * The inputs that can change without a wait. Left out are those that only the progress lines use, and the lead Service,
 * which only identifies the cluster.
 */
export function settings(inputs: JobStatusInputs): unknown {
    const { context, ephemeral, expires, keeps, kubeconfig, maxBytes, secretOutput, sizedBy, timeouts } = inputs;
    return { context, ephemeral, expires, keeps, kubeconfig, maxBytes, secretOutput, sizedBy, timeouts };
}
