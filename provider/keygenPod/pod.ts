import type { V1Pod } from "@kubernetes/client-node";

import { ANNOTATIONS } from "../contract/labels";
import { cancellation } from "../host/cancel";
import { type Kube, retry } from "../kubernetes/client";
import { createOnce, requireOurs } from "../kubernetes/creation";
import { sentence } from "../kubernetes/failures/failure";
import { awaitGone, isGone } from "../kubernetes/failures/gone";
import type { JobId } from "../kubernetes/jobId";
import { owned, shortHash } from "../kubernetes/ownership";
import type { KeygenPodInputs } from "./properties";

/** Identifies a pod by its name, and the object in the cluster by its UID. */
export type PodId = JobId;

/** The pod to create: the manifest with this package's marks, and with the lead Service as its owner. */
export function completePod({ lead, manifest, nonce, rotate }: KeygenPodInputs): V1Pod {
    const marks = { [ANNOTATIONS.nonce]: nonce, [ANNOTATIONS.specHash]: shortHash(rotate ?? "") };
    return { ...manifest, metadata: owned(manifest.metadata, lead, marks) };
}

/** Creates the pod, or adopts the pod of an interrupted create of the same key. */
export async function createOrAdopt(kube: Kube, wanted: V1Pod, timeoutSeconds: number): Promise<PodId> {
    const live = await find(kube, idOf(wanted));
    if (live === undefined) {
        return create(kube, wanted);
    }
    if (requireOurs(live, wanted) === "same" && isUsable(live)) {
        return idOf(live);
    }
    await removePod(kube, idOf(live), timeoutSeconds);
    return create(kube, wanted);
}

function isUsable({ metadata, status }: V1Pod): boolean {
    return metadata?.deletionTimestamp === undefined && status?.phase !== "Failed";
}

async function create(kube: Kube, wanted: V1Pod): Promise<PodId> {
    const { name, namespace } = idOf(wanted);
    try {
        const create = () => kube.core.createNamespacedPod({ namespace, body: wanted });
        return idOf(await retry(() => createOnce(wanted, { create, find: () => find(kube, idOf(wanted)) })));
    } catch (error) {
        throw new Error(`Pod ${namespace}/${name} can't be created: ${sentence(error)}`, { cause: error });
    }
}

/** Deletes the pod with this UID, and waits until it doesn't exist any more. */
export async function removePod(kube: Kube, pod: PodId, timeoutSeconds: number): Promise<void> {
    const { name, namespace, uid } = pod;
    try {
        await retry(() => kube.core.deleteNamespacedPod({ namespace, name, body: { preconditions: { uid } } }));
    } catch (error) {
        if (await isGone(error, uid, () => find(kube, pod))) {
            return;
        }
        throw new Error(
            `Pod ${namespace}/${name} can't be deleted: ${sentence(error)} Its log may hold a key: delete the pod.`,
            { cause: error },
        );
    }
    await awaitGone(kube, "pods", pod, { timeoutSeconds, interrupted: cancellation() });
}

async function find(kube: Kube, { name, namespace }: PodId): Promise<V1Pod | undefined> {
    const { items } = await retry(() =>
        kube.core.listNamespacedPod({ namespace, fieldSelector: `metadata.name=${name}` }),
    );
    return items[0];
}

function idOf({ metadata }: V1Pod): PodId {
    return { namespace: metadata?.namespace ?? "", name: metadata?.name ?? "", uid: metadata?.uid ?? "" };
}
