import { OWN_PATHS, plainPath } from "../../parts/paths";
import { validateBytes } from "../../rules/amounts";
import { validateHostPath, validateOneOf } from "../../rules/storage";
import { validateObjectName } from "../../rules/names";
import { DNS_LABEL } from "../../rules/patterns";
import { broken, type Problem } from "../../rules/problem";
import type { MiniClusterSpec } from "../../spec";

type VolumeSpec = MiniClusterSpec["volumes"][number];

const SOURCES = [
    "configMap",
    "csi",
    "emptyDir",
    "hostPath",
    "image",
    "persistentVolumeClaim",
    "projected",
    "secret",
    "source",
] as const;
/** Checks the volumes. */
export function validateVolumes({ volumes }: MiniClusterSpec): Problem[] {
    return volumes.flatMap((volume, index) => {
        const property = `volumes[${index}]`;
        return [...validateVolume(volume, property), ...validateAgainst(volumes.slice(0, index), volume, property)];
    });
}

function validateVolume(volume: VolumeSpec, property: string): Problem[] {
    const problems = validateOneOf(property, volume, SOURCES);
    if (!DNS_LABEL.test(volume.name ?? "") || volume.name.startsWith("flux-")) {
        const rule = "a DNS label that doesn't start with flux-, because such names belong to the cluster";
        problems.push({ property: `${property}.name`, reason: `${is(volume.name)}; it must be ${rule}.` });
    }
    return [...problems, ...validateMountPath(volume, property), ...validateSource(volume, property)];
}

function validateMountPath({ mountPath }: VolumeSpec, volume: string): Problem[] {
    const property = `${volume}.mountPath`;
    if (!mountPath?.startsWith("/")) {
        return [{ property, reason: `${is(mountPath)}; it must be an absolute path.` }];
    }
    if (/[:\0]/.test(mountPath)) {
        return [{ property, reason: `is "${mountPath}"; Kubernetes allows no ':' in a mount path. Use another path.` }];
    }
    const path = plainPath(mountPath);
    if (path === "/") {
        return [{ property, reason: `is "${mountPath}", which would hide the whole image. Use a directory.` }];
    }
    if (OWN_PATHS.includes(path)) {
        const cure = path === "/dev/shm" ? "Use sharedMemory." : "Use another path.";
        return [{ property, reason: `is ${mountPath}, which the cluster uses itself. ${cure}` }];
    }
    return [];
}

/** Refuses fields that don't fit the kind of volume. */
function validateSource(volume: VolumeSpec, property: string): Problem[] {
    const { configMap, hostPath, image, items, readOnly, secret, source, subPath } = volume;
    const kinds = Object.keys(source ?? {});
    const rules: [boolean, string, string][] = [
        [
            items !== undefined && configMap === undefined && secret === undefined,
            "items",
            "are given, but only a Secret and a ConfigMap have keys. Remove them.",
        ],
        [image !== undefined && !readOnly, "readOnly", "is false, but an image volume is read-only. Remove it."],
        [
            source !== undefined && kinds.length !== 1,
            "source",
            `has ${kinds.join(" and ") || "nothing"}; give exactly one kind of volume.`,
        ],
        [
            subPath !== undefined && /^\/|(^|\/)\.\.(\/|$)/.test(subPath),
            "subPath",
            `is "${subPath}"; it must be a relative path that stays in the volume.`,
        ],
    ];
    return [
        ...broken(rules.map(([isBroken, field, reason]) => [isBroken, `${property}.${field}`, reason])),
        ...validateHostPath(`${property}.hostPath`, hostPath),
        ...validateEmptyDir(volume, property),
        ...validateVolumeNames(volume, property),
    ];
}

function validateVolumeNames(
    { configMap, csi, items, persistentVolumeClaim, secret }: VolumeSpec,
    property: string,
): Problem[] {
    const names = { configMap, "csi.secret": csi?.secret, persistentVolumeClaim, secret };
    const paths = Object.entries(items ?? {}).filter(
        ([, path]) => path === "" || path.startsWith("/") || path.split("/").includes(".."),
    );
    return [
        ...Object.entries(names).flatMap(([field, name]) => validateObjectName(`${property}.${field}`, name)),
        ...(csi === undefined || csi.driver
            ? []
            : [{ property: `${property}.csi.driver`, reason: "is missing; give the name of the driver." }]),
        ...paths.map(([key, path]) => ({
            property: `${property}.items.${key}`,
            reason: `is "${path}"; it must be a relative path that stays in the volume.`,
        })),
    ];
}

function validateEmptyDir({ emptyDir }: VolumeSpec, volume: string): Problem[] {
    const { medium = "", sizeLimit: limit } = emptyDir ?? {};
    const isWrong = medium !== "" && medium !== "Memory" && !medium.startsWith("HugePages");
    const reason = `is "${medium}"; Kubernetes accepts "Memory" and HugePages. Leave it out for the node's disk.`;
    return [
        ...broken([[isWrong, `${volume}.emptyDir.medium`, reason]]),
        ...validateBytes(`${volume}.emptyDir.sizeLimit`, limit),
    ];
}

/** The value in an error. Programs in JavaScript may leave out a field that TypeScript requires. */
function is(text: string | undefined): string {
    return text === undefined ? "is missing" : `is "${text}"`;
}

/** Compares a volume with the earlier ones. A volume may be mounted at several paths, but two can't have the same name. */
function validateAgainst(earlier: readonly VolumeSpec[], volume: VolumeSpec, property: string): Problem[] {
    const source = (of: VolumeSpec) => JSON.stringify(SOURCES.map((name) => of[name] ?? null));
    const { name } = volume;
    const isTaken = Boolean(name) && earlier.some((other) => other.name === name && source(other) !== source(volume));
    const reason = `is "${name}", which is already the name of another volume. Change one of them.`;
    return broken([[isTaken, `${property}.name`, reason]]);
}
