import { cancellation } from "../host/cancel";
import type { Run } from "../flux/job";
import { knownByNonce } from "../flux/clusterPlace";
import { removeFrom } from "../flux/removal";
import type { Kube } from "../kubernetes/client";
import { wake } from "../kubernetes/sleep";
import { type Away, QUEUED, SUSPENDED } from "../observe/pods/lead";
import type { FluxSubmissionOutputs } from "./properties";
import { workOf } from "./workOf";

/** True if the job has ended: it does not run again, even if its queue is restored. */
export function isFinished({ phase }: Pick<FluxSubmissionOutputs, "phase">): boolean {
    return phase === "succeeded" || phase === "failed";
}

/** Cancels and removes the job or array. With `guard`, it fails with this error if the job runs. */
export async function remove(kube: Kube, props: FluxSubmissionOutputs, guard?: (run: Run) => Error): Promise<void> {
    const deadline = Date.now() + props.timeouts.ready * 1000;
    const work = workOf({ kube, signal: cancellation() }, props, props);
    let judge = guard;
    await removeFrom(kube, {
        cluster: knownByNonce(props),
        what: `Flux job ${props.jobId}`,
        jobName: props.jobName,
        resourceUrn: props.resourceUrn,
        deadline,
        isFinished: isFinished(props),
        act: async (lead) => {
            const left = await work.remove(lead, judge);
            // The elements that are left were cancelled by this call.
            judge = undefined;
            return left;
        },
        awaits: (lead) => callLead(kube, lead, props, deadline),
    });
}

/** Reasons that may last for any time. */
const NOT_SOON: readonly string[] = [SUSPENDED, QUEUED];

/** Wakes a cluster that sleeps with the job. Returns true if the lead will be ready, false if there is no job to remove. */
async function callLead(kube: Kube, lead: Away, props: FluxSubmissionOutputs, deadline: number): Promise<boolean> {
    if (!lead.keepsQueue || isFinished(props)) {
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

function stillQueued({ cluster, timeouts }: FluxSubmissionOutputs, why: string): string {
    const place = `MiniCluster ${cluster.namespace}/${cluster.name}`;
    const limit = NOT_SOON.includes(why) ? "" : ` within ${timeouts.ready} s (timeouts.ready)`;
    return (
        `${place} is not ready${limit}: ${why}. Its queue is kept and still has the job. Let the cluster run and ` +
        "try again, or destroy the cluster and remove the job from the state with pulumi state delete"
    );
}
