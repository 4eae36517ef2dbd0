import { cancellation } from "../engine/cancel";
import { warner } from "../engine/log";
import { SUBMIT_TIMEOUT } from "../flux/calls";
import { overcome } from "../flux/lead";
import { Queue } from "../flux/queue";
import type { Kube } from "../kube/client";
import { FORGET, mayForget } from "../kube/unreachable";
import type { KnownJob } from "../observe/job";
import { findLead } from "../pods/lead";
import type { FluxTicketOutputs } from "./properties";

type Placed = FluxTicketOutputs & Required<Pick<FluxTicketOutputs, "cluster">>;

/** The cluster of a ticket: the Job of that name, of which the lead Service tells whether it can be in this one. */
export function placeOf({ cluster, lead }: Placed): KnownJob {
    const { name, namespace } = cluster;
    return { namespace, name, leads: lead && [lead] };
}

/** Removes the job that has the nonce of a ticket, if the lead has one. Fails if that can't be known. */
export async function sweep(kube: Kube, props: Placed): Promise<void> {
    const signal = cancellation();
    const { jobName, nonce, resourceUrn } = props;
    const say = warner(resourceUrn, jobName);
    const deadline = Date.now() + SUBMIT_TIMEOUT * 1000;
    for (;;) {
        const lead = await findLead(kube, placeOf(props));
        switch (lead.state) {
            case "ended":
            case "gone":
                return;
            case "unknown":
                if (!mayForget()) {
                    throw new Error(
                        `${lead.why}. Give the FluxJob the kubeconfig and the context of its MiniCluster. If that ` +
                            `doesn't exist any more, ${FORGET}`,
                    );
                }
                say(`The ticket is removed from the state: ${lead.why}.`);
                return;
            case "away":
                // Most such FluxJobs never got a lead that could take their job: they must not hold up a destroy.
                if (lead.keepsQueue) {
                    say(`The queue of the cluster may have a job of an interrupted update: ${lead.why}.`);
                }
                return;
            case "ready":
                try {
                    return await new Queue(kube, lead.container, signal).sweep(nonce, jobName);
                } catch (error) {
                    await overcome(error, { kube, cluster: placeOf(props), signal, report: () => undefined }, deadline);
                }
        }
    }
}
