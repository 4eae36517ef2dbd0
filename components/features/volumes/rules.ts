import { GROUP_FILE, HOSTS_FILE, MUNGE_DIR, MUNGE_SOCKET_DIR, OWN_PATHS, PASSWD_FILE } from "../../parts/paths";
import { validateBytes } from "../../rules/amounts";
import { Network } from "../network";
import { validateHostPath, validateOneOf } from "../../rules/storage";
import { validateObjectName } from "../../rules/names";
import { DNS_LABEL } from "../../rules/patterns";
import type { Problem } from "../../rules/problem";
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
export function validateVolumes(spec: MiniClusterSpec): Problem[] {
    return spec.volumes.flatMap((volume, index) => {
        const property = `volumes[${index}]`;
        const taken = [
            ...(spec.munge === undefined ? [] : validateMunge(volume, property)),
            ...validateFeatures(volume, spec, property),
        ];
        return [
            ...validateVolume(volume, property),
            ...taken,
            ...validateAgainst(spec.volumes.slice(0, index), volume, property),
        ];
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
    if (/^\/+$/.test(mountPath)) {
        return [{ property, reason: `is "${mountPath}", which would hide the whole image. Use a directory.` }];
    }
    if (OWN_PATHS.includes(mountPath.replace(/\/+$/, ""))) {
        const cure = mountPath.startsWith("/dev/shm") ? "Use sharedMemory." : "Use another path.";
        return [{ property, reason: `is ${mountPath}, which the cluster uses itself. ${cure}` }];
    }
    return [];
}

/** Refuses paths that another argument needs. */
function validateFeatures(
    { mountPath }: VolumeSpec,
    { code, network, user, view }: MiniClusterSpec,
    volume: string,
): Problem[] {
    const owners: [string, readonly string[]][] = [
        ["code", code === undefined ? [] : [code.path]],
        ['network "hosts"', network === Network.Hosts ? [HOSTS_FILE] : []],
        ["user", user === undefined ? [] : [PASSWD_FILE, GROUP_FILE]],
        ["view", view === undefined ? [] : [view.prefix, ...view.folders]],
    ];
    const path = (mountPath ?? "").replace(/\/+$/, "");
    const taken = path === "" ? [] : owners.filter(([, paths]) => paths.includes(path));
    return taken.map(([owner]) => ({
        property: `${volume}.mountPath`,
        reason: `is ${mountPath}, which ${owner} needs. Use another path.`,
    }));
}

/**
 * Refuses munge's directories. It is not called without `munge`, where the socket of the node's munged may be mounted.
 */
function validateMunge({ mountPath }: VolumeSpec, volume: string): Problem[] {
    const isTaken = [MUNGE_DIR, MUNGE_SOCKET_DIR].includes((mountPath ?? "").replace(/\/+$/, ""));
    return isTaken
        ? [
              {
                  property: `${volume}.mountPath`,
                  reason: `is ${mountPath}, which munge needs. Use another path, or remove munge.`,
              },
          ]
        : [];
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
    const broken = rules
        .filter(([isBroken]) => isBroken)
        .map(([, field, reason]) => ({ property: `${property}.${field}`, reason }));
    return [
        ...broken,
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
    const { medium, sizeLimit: limit } = emptyDir ?? {};
    const problems: Problem[] = [];
    if (medium !== undefined && medium !== "" && medium !== "Memory" && !medium.startsWith("HugePages")) {
        const reason = `is "${medium}"; Kubernetes accepts "Memory" and HugePages. Leave it out for the node's disk.`;
        problems.push({ property: `${volume}.emptyDir.medium`, reason });
    }
    return [...problems, ...validateBytes(`${volume}.emptyDir.sizeLimit`, limit)];
}

/** The value in an error. Programs in JavaScript may leave out a field that TypeScript requires. */
function is(text: string | undefined): string {
    return text === undefined ? "is missing" : `is "${text}"`;
}

/**
 * Compares a volume with the earlier ones. A volume may be mounted at several paths, but two volumes can't have the
 * same name, and two mounts can't have the same path.
 */
function validateAgainst(earlier: readonly VolumeSpec[], volume: VolumeSpec, property: string): Problem[] {
    const source = (of: VolumeSpec) => JSON.stringify(SOURCES.map((name) => of[name] ?? null));
    const problems: Problem[] = [];
    const { mountPath, name } = volume;
    if (name && earlier.some((other) => other.name === name && source(other) !== source(volume))) {
        problems.push({
            property: `${property}.name`,
            reason: `is "${name}", which is already the name of another volume. Change one of them.`,
        });
    }
    if (mountPath && earlier.some((other) => other.mountPath === mountPath)) {
        problems.push({
            property: `${property}.mountPath`,
            reason: `is ${mountPath}, where another volume is already mounted. Change one of them.`,
        });
    }
    return problems;
}
