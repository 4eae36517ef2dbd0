import type { FluxSubmissionOutputs } from "./properties";

/** Namespace, name and UID of the cluster that has the job. */
export function placeOf({ cluster, clusterUid }: FluxSubmissionOutputs): [string, string, string] {
    return [cluster.namespace, cluster.name, clusterUid];
}
