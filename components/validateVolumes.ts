import { Network } from "./args";
import {
    ARCHIVE_DIR, CONFIG_DIR, CURVE_DIR, GROUP_FILE, HOSTS_FILE, MADE_CURVE_DIR, MUNGE_DIR, MUNGE_SOCKET_DIR, PASSWD_FILE,
    RESTFUL_DIR, RESTFUL_TLS_DIR, RUN_DIR, SCRIPTS_DIR, STATE_DIR,
} from "../provider/contract/paths";
import { DNS_LABEL } from "./patterns";
import type { Problem } from "./problem";
import { isAmount } from "../provider/contract/quantity";
import type { MiniClusterSpec, VolumeSpec } from "./spec";
import { validateObjectName } from "./validateNames";

const SOURCES = [
    "configMap", "csi", "emptyDir", "hostPath", "image", "persistentVolumeClaim", "projected", "secret", "source",
] as const;
/** Paths in the container that the cluster needs for itself. */
export const OWN_PATHS = [
    ARCHIVE_DIR, CONFIG_DIR, SCRIPTS_DIR, CURVE_DIR, MADE_CURVE_DIR, RESTFUL_DIR, RESTFUL_TLS_DIR, RUN_DIR, STATE_DIR, "/dev/shm",
];

/** What is wrong with the volumes. */
export function validateVolumes(spec: MiniClusterSpec): Problem[] {
    return spec.volumes.flatMap((volume, index) => {
        const property = `volumes[${index}]`;
        const taken = [...(spec.munge === undefined ? [] : validateMunge(volume, property)), ...validateFeatures(volume, spec, property)];
        return [...validateVolume(volume, property), ...taken, ...validateAgainst(spec.volumes.slice(0, index), volume, property)];
    });
}

function validateVolume(volume: VolumeSpec, property: string): Problem[] {
    const problems: Problem[] = [];
    const given = SOURCES.filter((source) => volume[source] !== undefined);
    if (given.length !== 1) {
        const found = given.length === 0 ? "none" : given.join(" and ");
        problems.push({ property, reason: `has ${found} of ${SOURCES.join(", ")}; give exactly one.` });
    }
    if (!DNS_LABEL.test(volume.name ?? "") || volume.name.startsWith("flux-")) {
        const rule = "a DNS label that doesn't start with flux-, because those are the cluster's own";
        problems.push({ property: `${property}.name`, reason: `${is(volume.name)}; it must be ${rule}.` });
    }
    return [...problems, ...validateMountPath(volume, property), ...validateSource(volume, property)];
}

function validateMountPath({ mountPath }: VolumeSpec, volume: string): Problem[] {
    const property = `${volume}.mountPath`;
    if (!mountPath?.startsWith("/")) {
        return [{ property, reason: `${is(mountPath)}; it must be absolute.` }];
    }
    if (/[:\0]/.test(mountPath)) {
        return [{ property, reason: `is "${mountPath}"; Kubernetes takes no ':' in it.` }];
    }
    if (/^\/+$/.test(mountPath)) {
        return [{ property, reason: `is "${mountPath}", which would hide the whole image. Use a folder.` }];
    }
    if (OWN_PATHS.includes(mountPath.replace(/\/+$/, ""))) {
        const cure = mountPath.startsWith("/dev/shm") ? "Use sharedMemory." : "Use another path.";
        return [{ property, reason: `is the cluster's own ${mountPath}. ${cure}` }];
    }
    return [];
}

/** Paths that some other argument makes the cluster's own. */
function validateFeatures({ mountPath }: VolumeSpec, { network, user, view }: MiniClusterSpec, volume: string): Problem[] {
    const owners: [string, readonly string[]][] = [
        ['network "hosts"', network === Network.Hosts ? [HOSTS_FILE] : []],
        ["user", user === undefined ? [] : [PASSWD_FILE, GROUP_FILE]],
        ["view", view === undefined ? [] : [view.prefix, ...view.folders]],
    ];
    const path = (mountPath ?? "").replace(/\/+$/, "");
    const taken = path === "" ? [] : owners.filter(([, paths]) => paths.includes(path));
    return taken.map(([owner]) => ({ property: `${volume}.mountPath`, reason: `is ${mountPath}, which ${owner} needs. Use another path.` }));
}

/** A socket of the node's munged may be mounted where the cluster has no munged of its own. */
function validateMunge({ mountPath }: VolumeSpec, volume: string): Problem[] {
    const isTaken = [MUNGE_DIR, MUNGE_SOCKET_DIR].includes((mountPath ?? "").replace(/\/+$/, ""));
    return isTaken ? [{ property: `${volume}.mountPath`, reason: `is the cluster's own ${mountPath}. Use another path, or no munge.` }] : [];
}

/** What contradicts the kind of volume that was given. */
function validateSource(volume: VolumeSpec, property: string): Problem[] {
    const { configMap, hostPath, image, items, readOnly, secret, source, subPath } = volume;
    const kinds = Object.keys(source ?? {});
    const rules: [boolean, string, string][] = [
        [items !== undefined && configMap === undefined && secret === undefined, "items", "are given, but only a Secret and a ConfigMap have keys. Remove them."],
        [image !== undefined && !readOnly, "readOnly", "is false, but an image can only be read. Remove it."],
        [source !== undefined && kinds.length !== 1, "source", `has ${kinds.join(" and ") || "nothing"}; it is exactly one kind of volume.`],
        [subPath !== undefined && /^\/|(^|\/)\.\.(\/|$)/.test(subPath), "subPath", `is "${subPath}"; it must be relative and stay in the volume.`],
    ];
    const broken = rules.filter(([isBroken]) => isBroken).map(([, field, reason]) => ({ property: `${property}.${field}`, reason }));
    return [...broken, ...validateHostPath(`${property}.hostPath`, hostPath), ...validateEmptyDir(volume, property), ...validateVolumeNames(volume, property)];
}

/** A path on the node. */
export function validateHostPath(property: string, path: string | undefined): Problem[] {
    if (path === undefined) {
        return [];
    }
    if (!path.startsWith("/")) {
        return [{ property, reason: `is "${path}"; it must be absolute.` }];
    }
    return path.split("/").includes("..") ? [{ property, reason: `is "${path}"; Kubernetes takes no ".." in it.` }] : [];
}

function validateVolumeNames({ configMap, csi, items, persistentVolumeClaim, secret }: VolumeSpec, property: string): Problem[] {
    const names = { configMap, "csi.secret": csi?.secret, persistentVolumeClaim, secret };
    const paths = Object.entries(items ?? {}).filter(([, path]) => path === "" || path.startsWith("/") || path.split("/").includes(".."));
    return [
        ...Object.entries(names).flatMap(([field, name]) => validateObjectName(`${property}.${field}`, name)),
        ...(csi === undefined || csi.driver ? [] : [{ property: `${property}.csi.driver`, reason: "is missing; give the name of the driver." }]),
        ...paths.map(([key, path]) => ({ property: `${property}.items.${key}`, reason: `is "${path}"; it must be relative and stay in the volume.` })),
    ];
}

function validateEmptyDir({ emptyDir }: VolumeSpec, volume: string): Problem[] {
    const { medium, sizeLimit: limit } = emptyDir ?? {};
    const problems: Problem[] = [];
    if (medium !== undefined && medium !== "" && medium !== "Memory" && !medium.startsWith("HugePages")) {
        const reason = `is "${medium}"; Kubernetes knows "Memory" and HugePages. Leave it out for the node's disk.`;
        problems.push({ property: `${volume}.emptyDir.medium`, reason });
    }
    if (limit !== undefined && !isAmount(limit)) {
        const reason = `is "${limit}", which is no Kubernetes quantity. Write it like "8Gi".`;
        problems.push({ property: `${volume}.emptyDir.sizeLimit`, reason });
    }
    return problems;
}

/** Programs in JavaScript can leave out what TypeScript asks for. */
function is(text: string | undefined): string {
    return text === undefined ? "is missing" : `is "${text}"`;
}

/** The same volume may be mounted at several paths; one name can't stand for two volumes, nor one path for two mounts. */
function validateAgainst(earlier: readonly VolumeSpec[], volume: VolumeSpec, property: string): Problem[] {
    const source = (of: VolumeSpec) => JSON.stringify(SOURCES.map((name) => of[name] ?? null));
    const problems: Problem[] = [];
    const { mountPath, name } = volume;
    if (name && earlier.some((other) => other.name === name && source(other) !== source(volume))) {
        problems.push({ property: `${property}.name`, reason: `is "${name}", which is another volume already.` });
    }
    if (mountPath && earlier.some((other) => other.mountPath === mountPath)) {
        problems.push({ property: `${property}.mountPath`, reason: `is ${mountPath}, which is taken already.` });
    }
    return problems;
}
