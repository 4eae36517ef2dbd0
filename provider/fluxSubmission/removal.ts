import { cancellation } from "../engine/cancel";
import { warner } from "../engine/log";
import type { Run } from "../flux/job";
import { isPassing, PAUSE } from "../flux/lead";
import { remainder } from "../flux/remainder";
import type { Kube } from "../kube/client";
import { pause } from "../kube/pause";
import { wake } from "../kube/sleep";
import { FORGET, mayForget } from "../kube/unreachable";
import { findLead, type Lead, QUEUED, SUSPENDED } from "../pods/lead";
import { knownByNonce } from "./place";
import type { FluxSubmissionOutputs } from "./properties";
import { workOf } from "./workOf";

/** True if the job has ended: it does not run again, even if its queue is restored. */
export function isFinished({ phase }: FluxSubmissionOutputs): boolean {
    return phase === "succeeded" || phase === "failed";
}

/**
 * Cancels and removes the job or array. A cluster whose queue was lost with rank 0 has no job to remove. With `guard`, it fails
 * with this error if the job runs.
 */
export async function remove(kube: Kube, props: FluxSubmissionOutputs, guard?: (run: Run) => Error): Promise<void> {
    const deadline = Date.now() + props.timeouts.ready * 1000;
    const check = remainder();
    const signal = cancellation();
    const work = workOf({ kube, signal }, props, props);
    let judge = guard;
    for (;;) {
        const lead = await findLead(kube, knownByNonce(props));
        if (lead.state === "ready") {
            const left = await removeOnce(() => work.remove(lead.container, judge), deadline);
            if (left === 0) {
                return;
            }
            if (left !== undefined) {
                // The elements that are left were cancelled by this call.
                judge = undefined;
                check(left);
            }
        } else if (!(await callLead(kube, lead, props, deadline))) {
            return;
        }
        signal.throwIfAborted();
        await pause(PAUSE, signal);
    }
}

/** Reasons that may last for any time. */
const NOT_SOON: readonly string[] = [SUSPENDED, QUEUED];

/** Wakes a cluster that sleeps with the job. Returns true if the lead will be ready, false if there is no job to remove. */
async function callLead(kube: Kube, lead: Lead, props: FluxSubmissionOutputs, deadline: number): Promise<boolean> {
    if (lead.state === "unknown" && !isFinished(props)) {
        forget(lead.why, props);
        return false;
    }
    if (lead.state !== "away" || !lead.keepsQueue || isFinished(props)) {
        return false;
    }
    if (NOT_SOON.includes(lead.why) || Date.now() >= deadline) {
        throw new Error(stillQueued(props, lead.why));
    }
    if (lead.asleep !== undefined) {
        // A held job sleeps with its cluster, and only a running lead can remove it.
        await wake(kube, lead.asleep);
    }
    return true;
}

/** Fails for a job that may still run in another cluster, unless the user has allowed to drop it. */
function forget(why: string, { jobId, jobName, resourceUrn }: FluxSubmissionOutputs): void {
    if (!mayForget()) {
        throw new Error(
            `${why}, so it may still run in another cluster. Give the FluxJob the kubeconfig and the context of its ` +
                `MiniCluster. If that doesn't exist any more, ${FORGET}`,
        );
    }
    warner(resourceUrn, jobName)(`Flux job ${jobId} is removed from the state: ${why}.`);
}

/** Undefined after a temporary error, after which the call is tried again. */
async function removeOnce(act: () => Promise<number>, deadline: number): Promise<number | undefined> {
    try {
        return await act();
    } catch (error) {
        if (!isPassing(error) || Date.now() >= deadline) {
            throw error;
        }
        return undefined;
    }
}

function stillQueued({ cluster, timeouts }: FluxSubmissionOutputs, why: string): string {
    const place = `MiniCluster ${cluster.namespace}/${cluster.name}`;
    const limit = NOT_SOON.includes(why) ? "" : ` within ${timeouts.ready} s (timeouts.ready)`;
    return (
        `${place} is not ready${limit}: ${why}. Its queue is kept and still has the job. Let the cluster run and ` +
        "try again, or destroy the cluster and remove the job from the state with pulumi state delete"
    );
}
