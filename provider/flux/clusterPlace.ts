import type { PlaceMarks } from "../contract/lead";
import type { Kube } from "../kubernetes/client";
import { isFirm, presentMark } from "../kubernetes/clusterMark";
import { type KnownJob, locate, markOf } from "../observe/job";
import type { ClusterName } from "./job";

/** Where a FluxJob is, or may be. */
interface Placed extends PlaceMarks {
    readonly cluster: Pick<ClusterName, "name" | "namespace">;
    /** UID of the Job of the cluster. Without it, the Job of that name counts. */
    readonly clusterUid?: string;
}

/** The cluster that has the job. */
export function placeOf({ cluster, clusterMark: mark, clusterUid, lead }: Placed): KnownJob {
    const { name, namespace } = cluster;
    return { namespace, name, uid: clusterUid, leads: lead && [{ uid: lead.uid }], mark };
}

/** The same, also known by the nonce of its lead Service, which a new Service has too. */
export function knownByNonce(placed: Placed): KnownJob {
    const { lead } = placed;
    return { ...placeOf(placed), leads: lead && [lead] };
}

/** What tells the cluster, and is looked for if it isn't known yet. Never fails: other calls tell why a cluster can't be asked. */
export async function marksOf(kube: Kube, placed: Placed): Promise<PlaceMarks> {
    const { cluster, clusterMark: mark, lead } = placed;
    if (lead !== undefined && isFirm(mark)) {
        return { lead, clusterMark: mark };
    }
    // First, because the Job proves that it is the right cluster: the context may change at any time.
    const found = await presentMark(kube, cluster.namespace, mark);
    const answer = await locate(kube, knownByNonce(placed)).catch(() => undefined);
    return answer?.where === "here"
        ? { lead: lead ?? markOf(answer.job), clusterMark: found }
        : { lead, clusterMark: mark };
}
