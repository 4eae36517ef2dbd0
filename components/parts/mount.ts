import { compact, type KubernetesObject } from "../../provider/contract/object";
import { RUN_DIR } from "../../provider/contract/paths";

/** A mount and its volume in one object, so that a pod never has one without the other. */
export interface Mount {
    readonly mountPath: string;
    readonly readOnly?: boolean;
    readonly subPath?: string;
    /** True for a mount that every container needs in which Flux runs. */
    readonly bringsFlux?: boolean;
    /** The argument that asks for the mount, as errors name it; undefined if every cluster may have it. */
    readonly argument?: string;
    /** True if the value of this argument is the path. */
    readonly isPathGiven?: boolean;
    /** Paths in the mount at which the pod unpacks files. */
    readonly unpacked?: readonly string[];
    readonly volume: { readonly name: string } & KubernetesObject;
}

/** A volume in memory for files that the scripts and the brokers write. */
export const RUN_MOUNT: Mount = { mountPath: RUN_DIR, volume: { name: "flux-run", emptyDir: { medium: "Memory" } } };

/** `volumeMounts` of a container. */
export function volumeMounts(all: readonly Mount[]): KubernetesObject[] {
    return all.map(({ mountPath, readOnly, subPath, volume }) =>
        compact({ name: volume.name, mountPath, readOnly, subPath }),
    );
}

/** `volumes` of the pod. A volume with several mounts is listed once. */
export function volumes(all: readonly Mount[]): KubernetesObject[] {
    return [...new Map(all.map(({ volume }) => [volume.name, volume])).values()];
}

/** Volume for the files that the init container `flux-prepare` makes. */
export const PREPARED = { name: "flux-prepared", emptyDir: {} };

/** The mount of one of these files in the Flux container. */
export function preparedMount(mountPath: string, subPath: string, more: Pick<Mount, "argument" | "readOnly">): Mount {
    return { mountPath, subPath, ...more, volume: PREPARED };
}
