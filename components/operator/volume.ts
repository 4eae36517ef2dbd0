import type { VolumeArgs } from "../features/volumes";
import { type Fields, needless, type Reader } from "./reader";
import type { Json } from "../../provider/contract/object";

type Plain = { -readonly [K in keyof VolumeArgs]?: Json };

/** Reads a volume of a container. The operator mounts each emptyDir at /dev/shm. */
export function readVolume(
    reader: Reader,
    path: string,
    name: string,
    fields: Fields,
): { volume?: Plain; sharedMemory?: string } {
    const emptyDir: Record<string, string> = {};
    const csi: Record<string, Json> = {};
    const volume: Plain = { name: name.toLowerCase().replaceAll(/[^a-z0-9-]/g, "-") };
    reader.read(path, fields, {
        path: (value) => (volume.mountPath = value),
        readOnly: (value) => (volume.readOnly = value),
        hostPath: (value) => (volume.hostPath = value),
        claimName: (value) => (volume.persistentVolumeClaim = value),
        secretName: (value) => (volume.secret = value),
        configMapName: (value) => (volume.configMap = value),
        items: (value) => (volume.items = value),
        emptyDir: needless,
        emptyDirMedium: (value) => (emptyDir.medium = String(value).toLowerCase() === "memory" ? "Memory" : value),
        emptyDirSizeLimit: (value) => (emptyDir.sizeLimit = String(value)),
        csiDriver: (value) => (csi.driver = value),
        csiDriverAttributes: (value) => (csi.volumeAttributes = value),
    });
    if (csi.driver !== undefined) {
        return { volume: { ...only(volume, []), source: { csi } } };
    }
    if (volume.secret !== undefined) {
        return { volume: only(volume, ["secret"]) };
    }
    if (fields.emptyDir) {
        if (emptyDir.medium !== "Memory") {
            reader.warn(`${path}.emptyDir`, "is on disk; here /dev/shm is always in memory.");
        }
        return { sharedMemory: emptyDir.sizeLimit };
    }
    const kind = (["hostPath", "configMap", "persistentVolumeClaim"] as const).find(
        (source) => volume[source] !== undefined,
    );
    if (kind === undefined) {
        reader.warn(path, "has no source to mount; it is ignored.");
        return {};
    }
    return { volume: only(volume, kind === "configMap" ? ["configMap", "items"] : [kind]) };
}

/** The volume with these sources only: if a volume has several sources, the operator uses one. */
function only(volume: Plain, sources: readonly (keyof Plain)[]): Plain {
    const kept = ["name", "mountPath", "readOnly", ...sources];
    return Object.fromEntries(Object.entries(volume).filter(([key]) => kept.includes(key)));
}
