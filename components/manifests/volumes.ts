import { ARCHIVE_DIR, CONFIG_DIR, RUN_DIR, SCRIPTS_DIR, STATE_DIR } from "../../provider/contract/paths";
import type { MiniClusterSpec, VolumeSpec } from "../spec";
import { BROKER_CONFIG_FILE, configName } from "./configMap";
import { certificateMount } from "./key";
import { mungeMounts } from "./munge";
import { preparedMounts } from "./prepare";
import { viewMounts } from "./view";
import { compact, type KubernetesObject } from "../../provider/contract/object";
import { restfulMounts } from "./restful";

/** A mount carries its volume, so that there is never the one without the other. */
export interface Mount {
    readonly mountPath: string;
    readonly readOnly?: boolean;
    readonly subPath?: string;
    readonly volume: { readonly name: string } & KubernetesObject;
}

/** In memory, for what scripts and brokers write. */
export const RUN_MOUNT: Mount = { mountPath: RUN_DIR, volume: { name: "flux-run", emptyDir: { medium: "Memory" } } };

/** Every mount of the Flux container. */
export function mounts(spec: MiniClusterSpec, files: Readonly<Record<string, string>>): Mount[] {
    return [
        ...ownMounts(spec, files), ...preparedMounts(spec), ...viewMounts(spec), ...restfulMounts(spec), ...archiveMounts(spec),
        ...mungeMounts(spec),
        ...spec.volumes.map(userMount),
    ];
}

function ownMounts(spec: MiniClusterSpec, files: Readonly<Record<string, string>>): Mount[] {
    const config = configName(spec.name, files);
    return [
        { mountPath: CONFIG_DIR, readOnly: true, volume: configVolume("flux-config", config, { items: [{ key: BROKER_CONFIG_FILE, path: BROKER_CONFIG_FILE }] }) },
        { mountPath: SCRIPTS_DIR, readOnly: true, volume: configVolume("flux-scripts", config) },
        certificateMount(spec),
        RUN_MOUNT,
        { mountPath: STATE_DIR, volume: { name: "flux-state", emptyDir: {} } },
        { mountPath: "/dev/shm", volume: { name: "flux-shm", emptyDir: sharedMemory(spec) } },
    ];
}

function archiveMounts({ archive }: MiniClusterSpec): Mount[] {
    if (archive === undefined) {
        return [];
    }
    return [{ mountPath: ARCHIVE_DIR, volume: { name: "flux-archive", ...volumeSource(archive) } }];
}

function configVolume(volume: string, name: string, keys: KubernetesObject = {}) {
    return { name: volume, configMap: { name, defaultMode: 0o444, ...keys } };
}

function sharedMemory(spec: MiniClusterSpec) {
    return compact({ medium: "Memory", sizeLimit: spec.sharedMemory });
}

function userMount(volume: VolumeSpec): Mount {
    const { mountPath, name, readOnly, subPath } = volume;
    return { mountPath, readOnly: readOnly || undefined, subPath, volume: { name, ...volumeSource(volume) } };
}

function volumeSource(volume: Omit<VolumeSpec, "mountPath" | "name" | "readOnly"> & { readonly readOnly?: boolean }): KubernetesObject {
    const { configMap, csi, emptyDir, hostPath, image, persistentVolumeClaim, projected, secret, source } = volume;
    return {
        ...(configMap === undefined ? {} : { configMap: { name: configMap, ...chosen(volume) } }),
        ...(csi === undefined ? {} : { csi: csiSource(csi, volume.readOnly ?? false) }),
        ...(image === undefined ? {} : { image: { reference: image } }),
        ...(projected === undefined ? {} : { projected: { sources: projected } }),
        ...(emptyDir === undefined ? {} : { emptyDir: compact({ ...emptyDir }) }),
        ...(hostPath === undefined ? {} : { hostPath: { path: hostPath } }),
        ...(persistentVolumeClaim === undefined
            ? {}
            : { persistentVolumeClaim: { claimName: persistentVolumeClaim } }),
        ...(secret === undefined ? {} : { secret: { secretName: secret, ...chosen(volume) } }),
        ...source,
    };
}

/** Some keys of a Secret or a ConfigMap, at paths of one's own. */
function chosen(volume: Pick<VolumeSpec, "items">): KubernetesObject {
    const pairs = Object.entries(volume.items ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
    return volume.items === undefined ? {} : { items: pairs.map(([key, path]) => ({ key, path })) };
}

function csiSource({ attributes, driver, fsType, secret }: NonNullable<VolumeSpec["csi"]>, readOnly: boolean): KubernetesObject {
    const nodePublishSecretRef = secret === undefined ? undefined : { name: secret };
    return compact({ driver, fsType, nodePublishSecretRef, readOnly: readOnly || undefined, volumeAttributes: attributes });
}

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
