import type { V1PodSpec } from "@kubernetes/client-node";

/** The PersistentVolumeClaims that a pod mounts, without those that Kubernetes makes for it. */
export function claimsOf({ volumes = [] }: V1PodSpec): string[] {
    return volumes.flatMap(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName ?? []);
}
