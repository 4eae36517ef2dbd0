import type { types } from "@pulumi/kubernetes";
import type { Input } from "@pulumi/pulumi";

import { type VolumeSource, volumeSource } from "./volumeSource";
import type { Feature } from "../feature";
import { validateVolumes } from "./rules";

export { volumeSource } from "./volumeSource";

/** An empty directory that lives as long as the pod. */
export interface EmptyDirArgs {
    /** `Memory` for a tmpfs. @default the node's disk */
    medium?: Input<string>;
    /** Size limit: a quantity, for example `1Gi`. @default no limit */
    sizeLimit?: Input<string>;
}

/**
 * A volume that a CSI driver makes for each pod.
 * @see https://kubernetes.io/docs/concepts/storage/ephemeral-volumes/#csi-ephemeral-volumes
 */
export interface CsiVolumeArgs {
    /** Name of the driver. */
    driver: Input<string>;
    /** Attributes that the driver reads. @default none */
    attributes?: Input<{ [name: string]: Input<string> }>;
    /** File system. @default the driver's */
    fsType?: Input<string>;
    /** Name of a Secret in the same namespace that the driver needs. @default none */
    secret?: Input<string>;
}

/** A volume and its mount. Exactly one source is given. */
export interface VolumeArgs {
    /**
     * Name of the volume: a DNS label that doesn't start with `flux-`. The same name with the same source may be
     * mounted several times.
     */
    name: Input<string>;
    /** Absolute path in the container. */
    mountPath: Input<string>;
    /** Path in the volume. @default the volume's root */
    subPath?: Input<string>;
    /** Mount the volume for reading only. @default false, but true for an image */
    readOnly?: Input<boolean>;
    /** Name of a PersistentVolumeClaim in the same namespace. @default none */
    persistentVolumeClaim?: Input<string>;
    /** Name of a Secret in the same namespace. @default none */
    secret?: Input<string>;
    /** Name of a ConfigMap in the same namespace. @default none */
    configMap?: Input<string>;
    /** Path on the node. @default none */
    hostPath?: Input<string>;
    /** An empty directory that lives as long as the pod. @default none */
    emptyDir?: Input<EmptyDirArgs>;
    /**
     * For a Secret or a ConfigMap: the keys to mount, each with its path in the volume.
     * @default all keys, as files of the same names
     */
    items?: Input<{ [key: string]: Input<string> }>;
    /**
     * Kubernetes volume projections that share one directory.
     * @default none
     * @see https://kubernetes.io/docs/concepts/storage/projected-volumes/
     */
    projected?: Input<Input<types.input.core.v1.VolumeProjection>[]>;
    /** A volume that a CSI driver makes for each pod. @default none */
    csi?: Input<CsiVolumeArgs>;
    /**
     * Reference of an OCI image or artifact, for reading only. Kubernetes mounts images by default from 1.35 on, if the
     * nodes' container runtime supports it.
     * @default none
     * @see https://kubernetes.io/docs/concepts/storage/volumes/#image
     */
    image?: Input<string>;
    /** Any other Kubernetes volume source, for example `{ nfs: { server: "...", path: "..." } }`. @default none */
    source?: Input<{ [name: string]: any }>;
}

export interface VolumesArguments {
    /** Volumes and their mounts in the Flux container. @default none */
    volumes?: Input<Input<VolumeArgs>[]>;
}

export interface VolumeSpec extends VolumeSource {
    readonly name: string;
    readonly mountPath: string;
    readonly subPath?: string;
    readonly readOnly: boolean;
}

export interface Decided {
    readonly volumes: readonly VolumeSpec[];
}

export const volumes: Feature<VolumesArguments, Decided> = {
    decide: ({ volumes: given = [] }) => ({
        volumes: given.map((volume) => ({ ...volume, readOnly: volume.readOnly ?? volume.image !== undefined })),
    }),

    problems: validateVolumes,

    mounts: (spec) =>
        spec.volumes.map(({ mountPath, name, readOnly, subPath, ...source }, index) => ({
            argument: `volumes[${index}].mountPath`,
            isPathGiven: true,
            mountPath,
            readOnly: readOnly || undefined,
            subPath,
            volume: { name, ...volumeSource({ ...source, readOnly }) },
        })),
};
