import { cancellation } from "../engine/cancel";
import type { Kube } from "../kube/client";
import { pause } from "../kube/pause";
import { findLead, SUSPENDED } from "../pods/lead";
import type { FluxSubmissionOutputs } from "./properties";
import { Queue } from "./queue";
import { isPassing, PAUSE } from "./wait";

/** Namespace, name and UID of the cluster that has the job. */
export function placeOf({ cluster, clusterUid }: FluxSubmissionOutputs): [string, string, string] {
    return [cluster.namespace, cluster.name, clusterUid];
}

/** True if the job has ended: it does not run again, even if its queue is restored. */
export function isFinished({ phase }: FluxSubmissionOutputs): boolean {
    return phase === "succeeded" || phase === "failed";
}

/** Cancels and removes the job. A cluster whose queue was lost with rank 0 has no job to remove. */
export async function remove(kube: Kube, props: FluxSubmissionOutputs): Promise<void> {
    const deadline = Date.now() + props.timeouts.ready * 1000;
    const signal = cancellation();
    for (;;) {
        const lead = await findLead(kube, ...placeOf(props));
        if (lead.state === "ready") {
            const removed = await removeOnce(new Queue(kube, lead.container, signal), props, deadline);
            if (removed) {
                return;
            }
        } else if (lead.state !== "away" || !lead.keepsQueue || isFinished(props)) {
            return;
        } else if (lead.why === SUSPENDED || Date.now() >= deadline) {
            throw new Error(stillQueued(props, lead.why));
        }
        signal.throwIfAborted();
        await pause(PAUSE, signal);
    }
}

/** False if the call failed for a temporary reason and is to be tried again. */
async function removeOnce(queue: Queue, props: FluxSubmissionOutputs, deadline: number): Promise<boolean> {
    try {
        await queue.remove(props);
        return true;
    } catch (error) {
        if (!isPassing(error) || Date.now() >= deadline) {
            throw error;
        }
        return false;
    }
}

function stillQueued({ cluster, timeouts }: FluxSubmissionOutputs, why: string): string {
    const place = `MiniCluster ${cluster.namespace}/${cluster.name}`;
    const limit = why === SUSPENDED ? "" : ` within ${timeouts.ready} s (timeouts.ready)`;
    return (
        `${place} is not ready${limit}: ${why}. Its queue is kept and still has the job. Let the cluster run and ` +
        "try again, or destroy the cluster and remove the job from the state with pulumi state delete"
    );
}
