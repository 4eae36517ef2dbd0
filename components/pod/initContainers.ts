import type { KubernetesObject } from "../../provider/contract/object";
import { FEATURES } from "../features";
import type { Mount } from "../parts/mount";
import type { MiniClusterSpec } from "../spec";
import { prepareContainers } from "./prepare";

/** The init containers and sidecars of each pod, and the mounts of volumes that only they have. */
export function initContainers(
    spec: MiniClusterSpec,
    mounts: readonly Mount[],
): { containers: KubernetesObject[]; mounts: Mount[] } {
    const all = FEATURES.flatMap((feature) => feature.initContainers?.(spec, mounts) ?? []);
    const sorted = [...all.filter(({ needsFlux }) => !needsFlux), ...all.filter(({ needsFlux }) => needsFlux)];
    const sidecars = FEATURES.flatMap((feature) => feature.sidecars?.(spec, mounts) ?? []);
    return {
        containers: [...prepareContainers(spec, mounts), ...sorted.map(({ container }) => container), ...sidecars],
        mounts: [
            ...all.flatMap(({ ownMounts = [] }) => ownMounts),
            ...FEATURES.flatMap((feature) => feature.ownMounts?.(spec) ?? []),
        ],
    };
}
