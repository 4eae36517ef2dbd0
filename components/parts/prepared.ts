import type { Mount } from "./mount";

/** Volume for the files that the init container `flux-prepare` makes. */
export const PREPARED = { name: "flux-prepared", emptyDir: {} };

/** The mount of one of these files in the Flux container. */
export function preparedMount(mountPath: string, subPath: string, readOnly?: true): Mount {
    return { mountPath, subPath, readOnly, volume: PREPARED };
}
