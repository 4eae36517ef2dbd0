import type { Mount } from "./mount";

/** The volume for files that an init container makes. */
export const PREPARED = { name: "flux-prepared", emptyDir: {} };

/** A file that an init container makes, where it is mounted in the Flux container. */
export function preparedMount(mountPath: string, subPath: string, readOnly?: true): Mount {
    return { mountPath, subPath, readOnly, volume: PREPARED };
}
