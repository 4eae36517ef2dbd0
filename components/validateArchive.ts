import type { Problem } from "./problem";
import type { MiniClusterSpec } from "./spec";
import { validateAtLeast } from "./validateAtLeast";
import { validateObjectName } from "./validateNames";
import { validateHostPath } from "./validateVolumes";

const SOURCES = ["hostPath", "persistentVolumeClaim", "source"] as const;
/** One folder's name: the script makes it, and nothing above it. */
const FOLDER = /^[A-Za-z0-9][-A-Za-z0-9_.]{0,127}$/;

/** What can't work of the archive and of the time that an orderly end gets. */
export function validateArchive(spec: MiniClusterSpec): Problem[] {
    const { archive, drainTimeout } = spec;
    const numbers = validateAtLeast([["archive.period", archive?.period, 0], ["drainTimeout", drainTimeout, 0]]);
    return [...validateMode(spec), ...validateVolume(spec), ...numbers, ...validateTimes(spec)];
}

function validateMode({ archive, drainTimeout, mode }: MiniClusterSpec): Problem[] {
    if (mode === "persistent") {
        return [];
    }
    const given = [...(archive === undefined ? [] : ["archive"]), ...(drainTimeout === 0 ? [] : ["drainTimeout"])];
    const reason = "is given, but a cluster with a command has no queue that outlives it. Remove it, or the command.";
    return given.map((property) => ({ property, reason }));
}

function validateVolume({ archive }: MiniClusterSpec): Problem[] {
    if (archive === undefined) {
        return [];
    }
    const problems: Problem[] = [];
    const given = SOURCES.filter((source) => archive[source] !== undefined);
    if (given.length !== 1) {
        const has = given.length === 0 ? "has no source" : `has ${given.join(" and ")}`;
        problems.push({ property: "archive", reason: `${has}; give exactly one of ${SOURCES.join(", ")}.` });
    }
    if (!FOLDER.test(archive.folder)) {
        const rule = "up to 128 letters, digits, '.', '_' and '-', the first a letter or a digit";
        problems.push({ property: "archive.folder", reason: `is "${archive.folder}"; a folder's name has ${rule}.` });
    }
    return [...problems, ...validateObjectName("archive.persistentVolumeClaim", archive.persistentVolumeClaim), ...validateHostPath("archive.hostPath", archive.hostPath)];
}

function validateTimes({ drainTimeout, terminationGracePeriodSeconds: grace, timeouts }: MiniClusterSpec): Problem[] {
    if (drainTimeout <= 0) {
        return [];
    }
    const problems: Problem[] = [];
    if (grace <= drainTimeout) {
        const reason = `is ${grace}, within which drainTimeout ${drainTimeout} and the end itself have to fit. Raise it, or leave it out.`;
        problems.push({ property: "terminationGracePeriodSeconds", reason });
    }
    if (timeouts.delete <= grace) {
        const reason = `is ${timeouts.delete}, but a pod may take ${grace} to end. Raise timeouts.delete above that, or lower drainTimeout.`;
        problems.push({ property: "timeouts.delete", reason });
    }
    return problems;
}
