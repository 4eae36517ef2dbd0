import { compact, type KubernetesObject } from "../../provider/contract/object";
import { RUN_DIR } from "../../provider/contract/paths";

/** A mount carries its volume, so that there is never the one without the other. */
export interface Mount {
    readonly mountPath: string;
    readonly readOnly?: boolean;
    readonly subPath?: string;
    /** True for what a container needs in which Flux runs. */
    readonly bringsFlux?: boolean;
    readonly volume: { readonly name: string } & KubernetesObject;
}

/** In memory, for what scripts and brokers write. */
export const RUN_MOUNT: Mount = { mountPath: RUN_DIR, volume: { name: "flux-run", emptyDir: { medium: "Memory" } } };

/** `volumeMounts` of a container. */
export function volumeMounts(all: readonly Mount[]): KubernetesObject[] {
    return all.map(({ mountPath, readOnly, subPath, volume }) =>
        compact({ name: volume.name, mountPath, readOnly, subPath }),
    );
}

/** `volumes` of the pod: each once, however often it is mounted. */
export function volumes(all: readonly Mount[]): KubernetesObject[] {
    return [...new Map(all.map(({ volume }) => [volume.name, volume])).values()];
}
