import { chmodSync, chownSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

import type { KubernetesObject } from "../../../../provider/contract/object";
import type { ContainerMount } from "./container";

/** The data of ConfigMaps and Secrets, by object name. */
export type Texts = Readonly<Record<string, Readonly<Record<string, string | Uint8Array>>>>;

interface Source {
    readonly data: Texts[string];
    readonly items?: readonly { key: string; path: string }[];
    readonly mode: number;
}

/** Makes the volumes of a pod, as kubelet does. Returns the folder of each. */
export function makeVolumes(podSpec: KubernetesObject, texts: Texts, folder: string): Map<string, string> {
    const group: number | undefined = podSpec.securityContext?.fsGroup;
    const volumes: KubernetesObject[] = podSpec.volumes ?? [];
    return new Map(
        volumes.map((volume) => [volume.name, makeVolume(volume, texts, { group, path: join(folder, volume.name) })]),
    );
}

function makeVolume(volume: KubernetesObject, texts: Texts, place: { group?: number; path: string }): string {
    const { configMap, emptyDir, hostPath, name, projected, secret } = volume;
    if (hostPath !== undefined) {
        mkdirSync(hostPath.path, { recursive: true });
        return hostPath.path;
    }
    mkdirSync(place.path, { recursive: true });
    // The umask changes the mode of mkdir.
    chmodSync(place.path, 0o777);
    const sources = sourcesOf({ configMap, secret, projected });
    for (const { items, mode = 0o644, of } of sources) {
        writeFiles({ data: texts[of] ?? {}, items, mode }, place);
    }
    if (sources.length === 0 && emptyDir === undefined) {
        throw new Error(`Pods on this machine do not support the kind of the volume ${name}.`);
    }
    if (place.group !== undefined) {
        chownSync(place.path, 0, place.group);
        chmodSync(place.path, 0o2777);
    }
    return place.path;
}

/** The ConfigMaps or the Secret whose texts are a volume's files. */
function sourcesOf({ configMap, projected, secret }: KubernetesObject): { items?: any; mode?: number; of: string }[] {
    const [one] = [configMap, secret].filter((source) => source !== undefined);
    if (one !== undefined) {
        return [{ items: one.items, mode: one.defaultMode, of: one.name ?? one.secretName }];
    }
    const parts: KubernetesObject[] = projected?.sources ?? [];
    return parts.map(({ configMap: { items, name } }) => ({ items, mode: projected.defaultMode, of: name }));
}

function writeFiles({ data, items, mode }: Source, { group, path }: { group?: number; path: string }): void {
    const chosen = items ?? Object.keys(data).map((key) => ({ key, path: key }));
    for (const item of chosen) {
        const text = data[item.key];
        if (text === undefined) {
            throw new Error(`There is no ${item.key} for ${path}.`);
        }
        const file = join(path, item.path);
        mkdirSync(dirname(file), { recursive: true });
        writeFileSync(file, text);
        if (group !== undefined) {
            chownSync(file, 0, group);
        }
        // A group that owns the volume may read it.
        chmodSync(file, group === undefined ? mode : mode | 0o440);
    }
}

/** The mounts of a container, in their order. */
export function mountsOf(container: KubernetesObject, volumes: ReadonlyMap<string, string>): ContainerMount[] {
    const mounts: KubernetesObject[] = container.volumeMounts ?? [];
    return mounts.map(({ mountPath, name, readOnly, subPath }) => {
        const volume = volumes.get(name);
        if (volume === undefined) {
            throw new Error(`The pod has no volume ${name}.`);
        }
        return {
            from: subPath === undefined ? volume : join(volume, subPath),
            to: mountPath,
            readOnly: readOnly === true,
        };
    });
}
