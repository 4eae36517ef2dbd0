import { cancellation } from "../host/cancel";
import { warner } from "../host/log";
import { programRuns } from "../host/program";
import { CannotRun, SUBMIT_TIMEOUT } from "../flux/calls";
import { knownByNonce } from "../flux/clusterPlace";
import { Queue } from "../flux/queue";
import { removeFrom } from "../flux/removal";
import type { Kube } from "../kubernetes/client";
import { hasCode, sentence } from "../kubernetes/failures/failure";
import { FORGET, mayForget } from "../kubernetes/kubeconfig/unreachable";
import { wake } from "../kubernetes/sleep";
import { isLongAway } from "../observe/pods/lead";
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
    const deadline = Date.now() + SUBMIT_TIMEOUT * 1000;
    await removeFrom(kube, {
        cluster: knownByNonce(props),
        what: "The ticket",
        jobName,
        resourceUrn,
        deadline,
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
        awaits: async (lead) => {
            // Most such FluxJobs never got a lead that could take their job: they must not hold up a destroy.
            if (!lead.mayHaveJobs) {
                return false;
            }
            if (isLongAway(lead) || Date.now() >= deadline) {
                giveUp(lead.why, say);
                return false;
            }
            if (lead.asleep !== undefined) {
                await wake(kube, lead.asleep);
            }
            return true;
        },
    });
}

function giveUp(why: string, say: (text: string) => void): void {
    if (!mayForget()) {
        throw new Error(
            `its queue is kept, and ${why}. Let the cluster run and try again. If it never runs again, ${FORGET}`,
        );
    }
    say(`The ticket is removed from the state without a look for its job: ${why}.`);
}
