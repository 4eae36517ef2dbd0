import type { Kube } from "../kube/client";
import { type JobId, parseId } from "../kube/jobId";
import { isSameCluster } from "../kube/sameCluster";
import type { JobStatusInputs } from "./properties";

/** True if this is the cluster of the Job: it has the Job's lead Service. */
export function isHere(kube: Kube, { job, lead }: JobStatusInputs): Promise<boolean> {
    return isSameCluster(kube, { lead, manifest: { metadata: { namespace: parseId(job).namespace } } });
}

/** The failure of a wait in another cluster. */
export function describeElsewhere({ name, namespace }: JobId, { server }: Kube, { lead }: JobStatusInputs): string {
    return (
        `${name}: Neither Job ${namespace}/${name} nor its Service ${lead.name} is in the cluster ` +
        `at ${server}. Give MiniCluster the kubeconfig and the context of the cluster that has them.`
    );
}
