import { JOB_NAME_LABEL } from "../contract/labels";
import { type Kube, retry } from "../kubernetes/client";
import type { KnownJob } from "./job";
import { type Pod, summarize } from "./pods/pod";

/** The newest pod of each rank, in the order of the ranks. */
export async function ranksOf(kube: Kube, { name, namespace, uid }: KnownJob): Promise<Pod[]> {
    const labelSelector = `${JOB_NAME_LABEL}=${name}`;
    const { items } = await retry(() => kube.core.listNamespacedPod({ namespace, labelSelector }), kube.patience.tries);
    const newest = new Map<number, Pod>();
    const ours = items.filter(
        ({ metadata }) => uid === undefined || metadata?.ownerReferences?.some((owner) => owner.uid === uid),
    );
    for (const pod of ours.map(summarize).sort((a, b) => a.createdAt - b.createdAt)) {
        newest.set(pod.rank, pod);
    }
    return [...newest.values()].filter(({ rank }) => rank >= 0).sort((a, b) => a.rank - b.rank);
}
