import type { V1Job } from "@kubernetes/client-node";

import { cancellation } from "../host/cancel";
import type { Kube } from "../kubernetes/client";
import { sentence } from "../kubernetes/failures/failure";
import { ending } from "../kubernetes/job";
import { type JobId, parseId } from "../kubernetes/jobId";
import { heldBy, isHeld } from "../kubernetes/sleep";
import { isSizedByQueue } from "../judge/queue/queuedJob";
import { isForgettable } from "../kubernetes/kubeconfig/unreachable";
import { isUnreadable } from "../flux/queue";
import { locate, mayHaveExpired } from "../observe/job";
import { isOwnPhase } from "./goal";
import { knownJob } from "./here";
import { firstRecord, keptResults } from "./kept";
import type { JobStatusOutputs, Phase } from "./properties";
import { recordWaited } from "./record";
import { areLeft } from "./results";
import { waitForJob } from "./wait";

/** The outputs after a refresh: the recorded ones, unless the phase has changed. */
export async function refreshed(kube: Kube, props: JobStatusOutputs): Promise<JobStatusOutputs> {
    const id = parseId(props.job);
    try {
        const answer = await locate(kube, knownJob(props));
        switch (answer.where) {
            case "here":
                return await withJob(kube, id, props, answer.job);
            case "gone":
                return { ...props, phase: answer.namesake === undefined ? phaseWithoutJob(props, kube.now()) : "gone" };
            case "elsewhere":
            case "unknown":
                // The IndexedJob warns about that cluster.
                return props;
        }
    } catch (error) {
        if (isForgettable(error)) {
            return { ...props, phase: "gone" };
        }
        throw new Error(`Job ${id.namespace}/${id.name} can't be read: ${sentence(error)}`, { cause: error });
    }
}

async function withJob(kube: Kube, id: JobId, props: JobStatusOutputs, job: V1Job): Promise<JobStatusOutputs> {
    const phase = phaseNow(job, props);
    const hasEnded = ending(job) !== undefined && phase !== props.phase;
    // A job may have woken a cluster that sizes itself, and no update waits for it then.
    const hasWoken = phase !== "asleep" && isOwnPhase(phase, props);
    const isOpen = isIncomplete(job, props);
    if (props.waitFor !== "none" && !hasEnded && !hasWoken && !isOpen) {
        return { ...props, phase };
    }
    const seen = await observed(kube, id, props, isOpen);
    const isDeleted = seen.phase === "gone" || seen.phase === "expired";
    // Without the Job nothing tells its end any more.
    return hasEnded && isDeleted ? { ...seen, phase } : seen;
}

/** True if something may be known now that the record doesn't have. */
function isIncomplete(job: V1Job, { output, results }: JobStatusOutputs): boolean {
    // An update has left its results to the user, who may have fetched them since.
    return (areLeft(results) && ending(job) !== undefined) || isUnreadable(output);
}

/** The outputs with the record of a wait's first look, if the phase has changed or the record isn't complete. */
async function observed(kube: Kube, id: JobId, props: JobStatusOutputs, isOpen: boolean): Promise<JobStatusOutputs> {
    const means = { report: () => undefined, cancel: cancellation() };
    const waited = await waitForJob(kube, id, { ...props, waitFor: "none" }, means);
    if (waited.interrupted || (waited.last.phase === props.phase && !isOpen)) {
        return props;
    }
    const { recorded } = await recordWaited(kube, id, waited, props);
    const createdAt = recorded.createdAt ?? props.createdAt;
    const results = keptResults(recorded, props);
    return { ...props, ...recorded, results, record: firstRecord(recorded, props), createdAt };
}

/** The phase by the Job alone: pods are replaced at any time. */
function phaseNow(job: V1Job, props: JobStatusOutputs): Phase {
    const { phase } = props;
    const end = ending(job);
    if (end !== undefined) {
        return end.failed ? "failed" : "succeeded";
    }
    if (isHeld(job)) {
        return props.suspend ? "suspended" : heldBy(job);
    }
    // The recorded phase may be ahead of the Job, which shows the end of a command some seconds later.
    return ["asleep", "expired", "gone", "queued", "suspended"].includes(phase) || isResized(job, props)
        ? "starting"
        : phase;
}

/** True if another client has resized a persistent cluster. */
function isResized(job: V1Job, { phase, size, sizedBy }: JobStatusOutputs): boolean {
    const isOurs = sizedBy === undefined && !isSizedByQueue(job);
    return phase === "ready" && isOurs && job.spec?.parallelism !== size;
}

function phaseWithoutJob({ createdAt, ephemeral, expires, phase }: JobStatusOutputs, now: Date): Phase {
    if (["expired", "failed", "succeeded"].includes(phase)) {
        return phase;
    }
    return ephemeral && mayHaveExpired(expires, createdAt, now) ? "expired" : "gone";
}
