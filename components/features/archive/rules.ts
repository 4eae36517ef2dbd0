import { validateAtLeast } from "../../rules/atLeast";
import { validateHostPath, validateOneOf } from "../../rules/storage";
import { validateObjectName } from "../../rules/names";
import { broken, type Problem } from "../../rules/problem";
import type { MiniClusterSpec } from "../../spec";

const SOURCES = ["hostPath", "persistentVolumeClaim", "source"] as const;
/** Name of one directory, without a path: the script makes only this directory. */
const FOLDER = /^[A-Za-z0-9][-A-Za-z0-9_.]{0,127}$/;

/** Checks the archive. */
export function validateArchive(spec: MiniClusterSpec): Problem[] {
    return [
        ...validateMode(spec),
        ...validateVolume(spec),
        ...validateAtLeast([["archive.period", spec.archive?.period, 0]]),
    ];
}

function validateMode({ archive, mode }: MiniClusterSpec): Problem[] {
    const reason = "is given, but an ephemeral cluster has no queue after its command. Remove archive or command.";
    return mode === "persistent" || archive === undefined ? [] : [{ property: "archive", reason }];
}

function validateVolume({ archive }: MiniClusterSpec): Problem[] {
    if (archive === undefined) {
        return [];
    }
    const { folder } = archive;
    const rule = "up to 128 letters, digits, '.', '_' and '-', and starts with a letter or a digit";
    return [
        ...validateOneOf("archive", archive, SOURCES),
        ...broken([[!FOLDER.test(folder), "archive.folder", `is "${folder}"; a directory name has ${rule}.`]]),
        ...validateObjectName("archive.persistentVolumeClaim", archive.persistentVolumeClaim),
        ...validateHostPath("archive.hostPath", archive.hostPath),
    ];
}
