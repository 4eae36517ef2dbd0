import type { Input } from "@pulumi/pulumi";

import { type VolumeSource, volumeSource } from "../../parts/volumeSource";
import type { Feature } from "../feature";
import { validateVolumes } from "./rules";

/** An empty folder that lives as long as the pod. */
export interface EmptyDirArgs {
    /** `"Memory"` for a tmpfs. @default the node's disk */
    medium?: Input<string>;
    /** Quantity, for example `"1Gi"`. @default no limit */
    sizeLimit?: Input<string>;
}

/** A volume that a CSI driver makes for each pod. @see https://kubernetes.io/docs/concepts/storage/ephemeral-volumes/#csi-ephemeral-volumes */
export interface CsiVolumeArgs {
    /** Name of the driver. */
    driver: Input<string>;
    /** What the driver wants to know. @default nothing */
    attributes?: Input<{ [name: string]: Input<string> }>;
    /** File system. @default the driver's */
    fsType?: Input<string>;
    /** Name of a Secret in the same namespace that the driver needs. @default none */
    secret?: Input<string>;
}

/** A volume and where it is mounted, in one declaration. Exactly one source is given. */
export interface VolumeArgs {
    /** DNS label; not `flux-...`. The same name with the same source may be mounted several times. */
    name: Input<string>;
    /** Absolute path in the container. */
    mountPath: Input<string>;
    /** Path in the volume. @default its root */
    subPath?: Input<string>;
    /** Mount it for reading only. @default false, but true for an image */
    readOnly?: Input<boolean>;
    /** Name of a PersistentVolumeClaim in the same namespace. */
    persistentVolumeClaim?: Input<string>;
    /** Name of a Secret in the same namespace. */
    secret?: Input<string>;
    /** Name of a ConfigMap in the same namespace. */
    configMap?: Input<string>;
    /** Path on the node. */
    hostPath?: Input<string>;
    /** An empty folder that lives as long as the pod. */
    emptyDir?: Input<EmptyDirArgs>;
    /** Key to path in the volume, for a Secret or a ConfigMap. @default all keys, as files of their names */
    items?: Input<{ [key: string]: Input<string> }>;
    /** Several Kubernetes volume projections in one folder. @see https://kubernetes.io/docs/concepts/storage/projected-volumes/ */
    projected?: Input<Input<{ [name: string]: any }>[]>;
    /** What a CSI driver makes for each pod. */
    csi?: Input<CsiVolumeArgs>;
    /**
     * Reference of an OCI image or artifact, for reading only. Kubernetes has it on by default from 1.35 on, and the nodes'
     * container runtime has to know it. @see https://kubernetes.io/docs/concepts/storage/volumes/#image
     */
    image?: Input<string>;
    /** Any other Kubernetes volume source, for example `{ nfs: { server: "...", path: "..." } }`. */
    source?: Input<{ [name: string]: any }>;
}

export interface VolumesArguments {
    /** Further volumes and where they are mounted. @default none */
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

declare module "../../spec" {
    interface MiniClusterSpec extends Decided {}
}

export const volumes: Feature<VolumesArguments, Decided> = {
    decide: ({ volumes: given = [] }) => ({
        volumes: given.map((volume) => ({ ...volume, readOnly: volume.readOnly ?? volume.image !== undefined })),
    }),

    problems: validateVolumes,

    mounts: (spec) =>
        spec.volumes.map(({ mountPath, name, readOnly, subPath, ...source }) => ({
            mountPath,
            readOnly: readOnly || undefined,
            subPath,
            volume: { name, ...volumeSource({ ...source, readOnly }) },
        })),
};
