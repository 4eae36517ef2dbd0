import { cancellation } from "../engine/cancel";
import { warner } from "../engine/log";
import { CannotRun, SUBMIT_TIMEOUT } from "../flux/calls";
import { programRuns } from "../engine/program";
import { overcome } from "../flux/lead";
import { Queue } from "../flux/queue";
import type { Kube } from "../kube/client";
import type { Container } from "../kube/exec";
import { hasCode, sentence } from "../kube/failure";
import { FORGET, mayForget } from "../kube/unreachable";
import type { KnownJob } from "../observe/job";
import { findLead, type Lead } from "../pods/lead";
import type { FluxTicketOutputs } from "./properties";

type Placed = FluxTicketOutputs & Required<Pick<FluxTicketOutputs, "cluster">>;

/** The cluster of a ticket: the Job of that name, of which the lead Service tells whether it can be in this one. */
export function placeOf({ cluster, lead }: Placed): KnownJob {
    const { name, namespace } = cluster;
    return { namespace, name, leads: lead && [lead] };
}

/**
 * Removes the job that has the nonce of a ticket, if the lead has one. Fails if that can't be known, and for a job that runs
 * unless nothing is left of the stack: no program has permitted to cancel it.
 */
export async function sweep(kube: Kube, props: Placed): Promise<void> {
    const say = warner(props.resourceUrn, props.jobName);
    const deadline = Date.now() + SUBMIT_TIMEOUT * 1000;
    let isDone = false;
    while (!isDone) {
        const lead = await findLead(kube, placeOf(props));
        if (lead.state === "ready") {
            isDone = await ask(kube, lead.container, { props, say, deadline });
        } else {
            tellOf(lead, say);
            isDone = true;
        }
    }
}

function tellOf(lead: Exclude<Lead, { state: "ready" }>, say: (text: string) => void): void {
    if (lead.state === "unknown") {
        if (!mayForget()) {
            throw new Error(
                `${lead.why}. Give the FluxJob the kubeconfig and the context of its MiniCluster. If that ` +
                    `doesn't exist any more, ${FORGET}`,
            );
        }
        say(`The ticket is removed from the state: ${lead.why}.`);
    } else if (lead.state === "away" && lead.keepsQueue) {
        // Most such FluxJobs never got a lead that could take their job: they must not hold up a destroy.
        say(`The queue of the cluster may have a job of an interrupted update: ${lead.why}.`);
    }
}

interface Asking {
    readonly props: Placed;
    readonly say: (text: string) => void;
    readonly deadline: number;
}

/** Asks the lead. False after a temporary error. */
async function ask(kube: Kube, container: Container, { deadline, props, say }: Asking): Promise<boolean> {
    const signal = cancellation();
    const guard = (await programRuns()) === false ? "allow" : "refuse";
    try {
        const why = await new Queue(kube, container, signal).sweep(props.nonce, props.jobName, guard);
        return why === undefined || left(why);
    } catch (error) {
        if (error instanceof CannotRun || hasCode(error, 403)) {
            // Neither could an update submit anything, unless the image or the rights were others then.
            say(`The ticket is removed from the state without a look for its job: ${sentence(error)}.`);
            return true;
        }
        await overcome(error, { kube, cluster: placeOf(props), signal, report: () => undefined }, deadline);
        return false;
    }
}

function left(why: string): never {
    throw new Error(`${why}. Wait until it ends, or cancel it with npx flux-minicluster cancel`);
}
