import type { V1Pod } from "@kubernetes/client-node";

import { JOB_NAME_LABEL } from "../provider/contract/labels";
import { type Kube, retry } from "../provider/kube/client";
import { signalOf } from "../provider/pods/killed";
import { type Pod, summarize } from "../provider/pods/pod";
import type { Target } from "./target";

/** The newest pod of each rank, in the order of the ranks. */
export async function ranksOf({ kube, name, namespace, uid }: Target): Promise<Pod[]> {
    const labelSelector = `${JOB_NAME_LABEL}=${name}`;
    const { items } = await retry(() => kube.core.listNamespacedPod({ namespace, labelSelector }));
    const newest = new Map<number, Pod>();
    const ours = items.filter(
        ({ metadata }) => uid === undefined || metadata?.ownerReferences?.some((owner) => owner.uid === uid),
    );
    for (const pod of ours.map(summarize).sort((a, b) => a.createdAt - b.createdAt)) {
        newest.set(pod.rank, pod);
    }
    return [...newest.values()].filter(({ rank }) => rank >= 0).sort((a, b) => a.rank - b.rank);
}

/** The pod of a rank. The error for a missing rank lists the existing ranks. */
export async function rankOf(target: Target, rank: number): Promise<Pod> {
    const ranks = await ranksOf(target);
    const pod = ranks.find((candidate) => candidate.rank === rank);
    if (pod === undefined) {
        const there = ranks.length === 0 ? "it has no pods" : `it has ${ranks.map((each) => each.rank).join(", ")}`;
        throw new Error(`MiniCluster ${target.namespace}/${target.name} has no rank ${rank}; ${there}.`);
    }
    return pod;
}

/** A pod by its name; undefined if it doesn't exist. The Role in docs/rbac.yaml has the right to list pods, not to get one. */
export async function findPod(kube: Kube, namespace: string, name: string): Promise<V1Pod | undefined> {
    const fieldSelector = `metadata.name=${name}`;
    const list = () => kube.core.listNamespacedPod({ namespace, fieldSelector });
    return (await retry(list, kube.patience.tries)).items.at(0);
}

/** State of a rank, in one or a few words. */
export function stateOf(pod: Pod): string {
    if (pod.terminated !== undefined) {
        const { exitCode } = pod.terminated;
        const signal = signalOf(exitCode);
        return `exit code ${exitCode}${signal === undefined ? "" : ` (${signal})`}`;
    }
    if (pod.silentSince !== undefined) {
        return "node lost";
    }
    if (pod.deleting) {
        return "ending";
    }
    if (pod.readyAt !== undefined) {
        return "ready";
    }
    return pod.waiting?.reason || (pod.unschedulable === undefined ? pod.phase.toLowerCase() : "unschedulable");
}
