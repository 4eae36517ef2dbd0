import type { V1Pod } from "@kubernetes/client-node";

/**
 * Since when the node of a pod doesn't answer, by the pod's status alone: the node controller then changes the condition Ready
 * of a ready pod, and no other one. A kubelet keeps Ready and ContainersReady equal, if there are no readiness gates.
 * @see MarkPodsNotReady in pkg/controller/util/node/controller_utils.go of Kubernetes
 */
export function silentSince({ spec, status }: V1Pod): Date | string | undefined {
    const conditionOf = (wanted: string) => status?.conditions?.find(({ type }) => type === wanted);
    const [ready, containers] = [conditionOf("Ready"), conditionOf("ContainersReady")];
    const isMarked = status?.phase === "Running" && ready?.status === "False" && containers?.status === "True";
    return isMarked && (spec?.readinessGates ?? []).length === 0 ? ready.lastTransitionTime : undefined;
}
