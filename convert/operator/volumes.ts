import type { Json } from "../../provider/contract/object";
import type { VolumeArgs } from "../../components/features/volumes";
import type { Fields, Reader, Values } from "../reader";

type Plain = { -readonly [K in keyof VolumeArgs]?: Json };

/**
 * Reads the volumes of a container. A volume of the same name is only read once: the operator mounts it in the
 * containers after the first one too.
 */
export function readVolumes(reader: Reader, path: string, volumes: Fields | undefined, args: Values): void {
    for (const [name, fields] of Object.entries(volumes ?? {})) {
        add(args, readVolume(reader, `${path}.${name}`, name, fields));
    }
}

interface Read {
    readonly volume?: Plain;
    readonly sharedMemory?: string;
}

function add(args: Values, { sharedMemory, volume }: Read): void {
    const volumes = (args.volumes ?? []) as Plain[];
    if (volume !== undefined && !volumes.some(({ name }) => name === volume.name)) {
        args.volumes = [...volumes, volume];
    }
    args.sharedMemory = sharedMemory ?? args.sharedMemory;
}

/** Sources of a volume in the order in which the operator looks for them. It takes the first one. */
const SOURCES = {
    csiDriver: "csi",
    secretName: "secret",
    emptyDir: "emptyDir",
    hostPath: "hostPath",
    configMapName: "configMap",
    claimName: "persistentVolumeClaim",
} as const;

/** Fields that belong to a source, and have no effect with another one. */
const DETAILS: Readonly<Record<string, keyof typeof SOURCES>> = {
    csiDriverAttributes: "csiDriver",
    emptyDirMedium: "emptyDir",
    emptyDirSizeLimit: "emptyDir",
    items: "configMapName",
};

/** Reads a volume of a container. The operator mounts each emptyDir at /dev/shm. */
function readVolume(reader: Reader, path: string, name: string, fields: Fields): Read {
    const given = (Object.keys(SOURCES) as (keyof typeof SOURCES)[]).filter((source) => fields[source]);
    const [source, ...others] = given;
    if (source === undefined) {
        reader.warn(path, "has no source to mount; it is ignored. Give one, such as claimName or hostPath.");
        return {};
    }
    const idle = Object.keys(DETAILS).filter((detail) => DETAILS[detail] !== source && !isAbsent(fields[detail]));
    for (const field of [...others, ...idle]) {
        reader.warn(`${path}.${field}`, `has no effect beside ${source}, as in the operator. Remove it.`);
    }
    if (source === "emptyDir") {
        return readSharedMemory(reader, path, fields);
    }
    const { csiDriver, csiDriverAttributes, items } = fields;
    const csi = {
        driver: csiDriver,
        ...(csiDriverAttributes === undefined ? {} : { volumeAttributes: csiDriverAttributes }),
    };
    return {
        volume: {
            name: volumeName(name),
            mountPath: fields.path,
            ...(fields.readOnly === undefined ? {} : { readOnly: fields.readOnly }),
            ...(source === "csiDriver" ? { source: { csi } } : { [SOURCES[source]]: fields[source] }),
            ...(source === "configMapName" && items !== undefined ? { items } : {}),
        },
    };
}

function isAbsent(value: unknown): boolean {
    return (
        value === undefined || value === "" || (typeof value === "object" && Object.keys(value as object).length === 0)
    );
}

function readSharedMemory(reader: Reader, path: string, fields: Fields): Read {
    const { emptyDirMedium, emptyDirSizeLimit } = fields;
    if (String(emptyDirMedium).toLowerCase() !== "memory") {
        reader.warn(
            `${path}.emptyDir`,
            "is on disk; here /dev/shm is always in memory. Raise the memory limit, if there is one.",
        );
    }
    if (fields.path && fields.path !== "/dev/shm") {
        const cure = "For a directory there, give volumes with emptyDir.";
        reader.warn(
            `${path}.path`,
            `is "${fields.path}", but the operator mounts each emptyDir at /dev/shm, and so does this. ${cure}`,
        );
    }
    reader.without(
        `${path}.readOnly`,
        "has no effect on an emptyDir, as in the operator. Remove it.",
    )(fields.readOnly ?? false);
    return { sharedMemory: emptyDirSizeLimit || undefined };
}

function volumeName(name: string): string {
    return name.toLowerCase().replaceAll(/[^a-z0-9-]/g, "-");
}
