import { CONFIG_DIR, CURVE_DIR, MADE_CURVE_DIR, RUN_DIR, SCRIPTS_DIR, STATE_DIR } from "./paths";
import type { Problem } from "./problem";
import { isAmount } from "./quantity";
import type { MiniClusterSpec, VolumeSpec } from "./spec";

const SOURCES = ["configMap", "emptyDir", "hostPath", "persistentVolumeClaim", "secret", "source"] as const;
const OWN_PATHS = [CONFIG_DIR, SCRIPTS_DIR, CURVE_DIR, MADE_CURVE_DIR, RUN_DIR, STATE_DIR, "/dev/shm"];
const LABEL = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

/** What is wrong with the volumes. */
export function validateVolumes(spec: MiniClusterSpec): Problem[] {
    return spec.volumes.flatMap((volume, index) => {
        const property = `volumes[${index}]`;
        return [...validateVolume(volume, property), ...validateAgainst(spec.volumes.slice(0, index), volume, property)];
    });
}

function validateVolume(volume: VolumeSpec, property: string): Problem[] {
    const problems: Problem[] = [];
    const given = SOURCES.filter((source) => volume[source] !== undefined);
    if (given.length !== 1) {
        const found = given.length === 0 ? "none" : given.join(" and ");
        problems.push({ property, reason: `has ${found} of ${SOURCES.join(", ")}; give exactly one.` });
    }
    if (!LABEL.test(volume.name ?? "") || volume.name.startsWith("flux-")) {
        const rule = "a DNS label that doesn't start with flux-, because those are the cluster's own";
        problems.push({ property: `${property}.name`, reason: `${is(volume.name)}; it must be ${rule}.` });
    }
    return [...problems, ...validateMountPath(volume, property), ...validateLimit(volume, property)];
}

function validateMountPath({ mountPath }: VolumeSpec, volume: string): Problem[] {
    const property = `${volume}.mountPath`;
    if (!mountPath?.startsWith("/")) {
        return [{ property, reason: `${is(mountPath)}; it must be absolute.` }];
    }
    if (OWN_PATHS.includes(mountPath.replace(/\/+$/, ""))) {
        const cure = mountPath.startsWith("/dev/shm") ? "Use sharedMemory." : "Use another path.";
        return [{ property, reason: `is the cluster's own ${mountPath}. ${cure}` }];
    }
    return [];
}

function validateLimit({ emptyDir }: VolumeSpec, volume: string): Problem[] {
    const limit = emptyDir?.sizeLimit;
    if (limit === undefined || isAmount(limit)) {
        return [];
    }
    const reason = `is "${limit}", which is no Kubernetes quantity. Write it like "8Gi".`;
    return [{ property: `${volume}.emptyDir.sizeLimit`, reason }];
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
