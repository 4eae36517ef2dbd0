import type { Kube } from "../kube/client";
import type { LeadMark } from "../contract/leadMark";
import { type KnownJob, leadIn } from "../observe/job";
import type { FluxSubmissionInputs, FluxSubmissionOutputs } from "./properties";

/** The cluster that has the job. */
export function placeOf({ cluster, clusterUid, lead }: Submitted): KnownJob {
    const { name, namespace } = cluster;
    return { namespace, name, uid: clusterUid, leads: lead && [{ uid: lead.uid }] };
}

/** The same, also known by the nonce of its lead Service, which a new Service has too. */
export function knownByNonce(submitted: Submitted): KnownJob {
    const { lead } = submitted;
    return { ...placeOf(submitted), leads: lead && [lead] };
}

export type Submitted = Pick<FluxSubmissionInputs, "cluster"> & Pick<FluxSubmissionOutputs, "clusterUid" | "lead">;

/** The outputs with the lead Service of the cluster. Those of earlier releases don't have it. */
export async function withLead<T extends Submitted>(kube: Kube, of: T): Promise<T> {
    const lead: LeadMark | undefined = of.lead ?? (await leadIn(kube, placeOf(of)));
    return lead === undefined ? of : { ...of, lead };
}
