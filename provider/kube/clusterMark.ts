import type { V1Namespace } from "@kubernetes/client-node";

import type { Kube } from "./client";

/** The namespace that every Kubernetes cluster has, from its start to its end. */
const LASTING = "kube-system";

/**
 * What tells a Kubernetes cluster from all others: the UID of its namespace kube-system, or of the Job's namespace where the
 * user may not read that one. Undefined if neither can be read.
 */
export async function clusterMark(kube: Kube, namespace: string): Promise<string | undefined> {
    for (const name of [LASTING, namespace]) {
        const uid = await uidOf(kube, name);
        if (uid !== undefined) {
            return `${name}/${uid}`;
        }
    }
    return undefined;
}

/** Why a cluster isn't the one of a mark; undefined if it is, or if that can't be known. */
export async function otherCluster(kube: Kube, mark: string | undefined): Promise<string | undefined> {
    const [name, uid] = (mark ?? "").split("/");
    const found = mark === undefined ? undefined : await uidOf(kube, name);
    return found === undefined || found === uid
        ? undefined
        : `namespace ${name} of the cluster at ${kube.server} has the UID ${found} and not ${uid}`;
}

async function uidOf(kube: Kube, name: string): Promise<string | undefined> {
    try {
        return (await kube.read<V1Namespace>(`/api/v1/namespaces/${name}`, {})).metadata?.uid;
    } catch {
        // The right is optional, and other calls tell why a cluster doesn't answer.
        return undefined;
    }
}
