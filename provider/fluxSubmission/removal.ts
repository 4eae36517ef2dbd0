import { cancellation } from "../engine/cancel";
import type { Kube } from "../kube/client";
import { findLead, SUSPENDED } from "../pods/lead";
import { pause } from "../kube/pause";
import { Queue } from "./queue";
import type { FluxSubmissionOutputs } from "./resource";
import { isPassing, PAUSE } from "./wait";

/** The cluster that has the job. */
export function placeOf({ cluster, clusterUid }: FluxSubmissionOutputs): [string, string, string] {
    return [cluster.namespace, cluster.name, clusterUid];
}

/** A job that has ended does nothing any more, even where its queue comes back. */
export function isFinished({ phase }: FluxSubmissionOutputs): boolean {
    return phase === "succeeded" || phase === "failed";
}

/** Without rank 0 there is no queue, and no job in it, unless the queue comes back with rank 0. */
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

/** False where it is worth another try. */
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
    const after = why === SUSPENDED ? "" : ` for ${timeouts.ready} s (timeouts.ready)`;
    return (
        `${place} is away${after}, since ${why}, and its queue would come back with the job. Let the cluster run and ` +
        "try again, or destroy the cluster itself and remove the job from the state with pulumi state delete"
    );
}
