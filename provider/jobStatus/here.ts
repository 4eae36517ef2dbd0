import { namesOf } from "../contract/names";
import type { Kube } from "../kube/client";
import { ifThere } from "../kube/failure";
import { type JobId, parseId } from "../kube/jobId";
import { isSameCluster } from "../kube/sameCluster";
import type { JobStatusInputs } from "./properties";

/**
 * True if this is the cluster of the Job: it has the Job's lead Service. A state of an earlier version knows only the
 * name of that Service.
 */
export async function isHere(kube: Kube, { job, lead }: JobStatusInputs): Promise<boolean> {
    const { name, namespace } = parseId(job);
    return lead === undefined
        ? (await ifThere(kube.getService(namespace, namesOf(name).lead))) !== undefined
        : isSameCluster(kube, { lead, manifest: { metadata: { namespace } } });
}

/** The failure of a wait in another cluster. */
export function describeElsewhere({ name, namespace }: JobId, { server }: Kube, { lead }: JobStatusInputs): string {
    return (
        `${name}: Neither Job ${namespace}/${name} nor its Service ${lead?.name ?? namesOf(name).lead} is in the cluster ` +
        `at ${server}. Give MiniCluster the kubeconfig and the context of the cluster that has them.`
    );
}
