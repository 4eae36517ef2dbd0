import type { V1PodSpec } from "@kubernetes/client-node";

const DEFAULT_SCHEDULER = "default-scheduler";

/** True if Kubernetes' own scheduler finds nodes for the pods. */
export function isPlacedByDefault({ nodeName, schedulerName = DEFAULT_SCHEDULER }: V1PodSpec): boolean {
    return nodeName === undefined && schedulerName === DEFAULT_SCHEDULER;
}

/** What isn't counted although it may keep the pods from nodes. */
export function uncountedIn(spec: V1PodSpec): string[] {
    const { resourceClaims = [], runtimeClassName, schedulingGates = [], schedulingGroup, volumes = [] } = spec;
    const hasClaims = volumes.some(({ ephemeral, persistentVolumeClaim: claim }) => ephemeral ?? claim);
    const all: [boolean, string][] = [
        [!isPlacedByDefault(spec), `nodes (${spec.schedulerName ?? spec.nodeName} decides on them)`],
        [hasClaims, "the places of volumes"],
        [resourceClaims.length > 0, "resourceClaims"],
        [schedulingGates.length > 0, "scheduling gates"],
        [schedulingGroup !== undefined, "the PodGroup"],
        [Boolean(runtimeClassName), "the RuntimeClass"],
        [Boolean(spec.priorityClassName), "preemption"],
    ];
    return all.filter(([holds]) => holds).map(([, what]) => what);
}

/** True if something that isn't counted may let the pods start earlier. */
export function mayStartEarlier({ priorityClassName, runtimeClassName }: V1PodSpec): boolean {
    return Boolean(priorityClassName) || Boolean(runtimeClassName);
}
