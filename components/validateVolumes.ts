import { CONFIG_DIR, CURVE_DIR, RUN_DIR, SCRIPTS_DIR, STATE_DIR } from "./paths";
import type { Problem } from "./problem";
import { isAmount } from "./quantity";
import type { MiniClusterSpec, VolumeSpec } from "./spec";

const SOURCES = ["configMap", "emptyDir", "hostPath", "persistentVolumeClaim", "secret", "source"] as const;
const OWN_PATHS = [CONFIG_DIR, SCRIPTS_DIR, CURVE_DIR, RUN_DIR, STATE_DIR, "/dev/shm"];
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
    if (!volume.mountPath?.startsWith("/")) {
        problems.push({ property: `${property}.mountPath`, reason: `${is(volume.mountPath)}; it must be absolute.` });
    } else if (OWN_PATHS.includes(volume.mountPath.replace(/\/+$/, ""))) {
        const cure = volume.mountPath.startsWith("/dev/shm") ? "Use sharedMemory." : "Use another path.";
        problems.push({ property: `${property}.mountPath`, reason: `is the cluster's own ${volume.mountPath}. ${cure}` });
    }
    const limit = volume.emptyDir?.sizeLimit;
    if (limit !== undefined && !isAmount(limit)) {
        const reason = `is "${limit}", which is no Kubernetes quantity. Write it like "8Gi".`;
        problems.push({ property: `${property}.emptyDir.sizeLimit`, reason });
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
