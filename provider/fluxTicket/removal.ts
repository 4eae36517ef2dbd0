import { cancellation } from "../host/cancel";
import { warner } from "../host/log";
import { programRuns } from "../host/program";
import { CannotRun, SUBMIT_TIMEOUT } from "../flux/calls";
import { knownByNonce } from "../flux/clusterPlace";
import { Queue } from "../flux/queue";
import { removeFrom } from "../flux/removal";
import type { Kube } from "../kubernetes/client";
import { hasCode, sentence } from "../kubernetes/failures/failure";
import type { FluxTicketOutputs } from "./properties";

export type PlacedTicket = FluxTicketOutputs & Required<Pick<FluxTicketOutputs, "cluster">>;

/**
 * Removes the job that has the nonce of a ticket, if the lead has one. Fails if that can't be known, and for a job that runs
 * unless nothing is left of the stack: no program has permitted to cancel it.
 */
export async function sweep(kube: Kube, props: PlacedTicket): Promise<void> {
    const { jobName, nonce, resourceUrn } = props;
    const say = warner(resourceUrn, jobName);
    let guard: "allow" | "refuse" = (await programRuns()) === false ? "allow" : "refuse";
    await removeFrom(kube, {
        cluster: knownByNonce(props),
        what: "The ticket",
        jobName,
        resourceUrn,
        deadline: Date.now() + SUBMIT_TIMEOUT * 1000,
        isFinished: false,
        act: async (lead) => {
            try {
                const left = await new Queue(kube, lead, cancellation()).sweep(nonce, jobName, guard);
                // The elements that are left were cancelled by this call.
                guard = "allow";
                return left;
            } catch (error) {
                if (!(error instanceof CannotRun || hasCode(error, 403))) {
                    throw error;
                }
                // Neither could an update submit anything, unless the image or the rights were others then.
                say(`The ticket is removed from the state without a look for its job: ${sentence(error)}.`);
                return 0;
            }
        },
        awaits: ({ keepsQueue, why }) => {
            if (keepsQueue) {
                say(`The queue of the cluster may have a job of an interrupted update: ${why}.`);
            }
            // Most such FluxJobs never got a lead that could take their job: they must not hold up a destroy.
            return false;
        },
    });
}
