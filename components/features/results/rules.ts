import { validateBytes } from "../../rules/amounts";
import { validateAtLeast } from "../../rules/atLeast";
import type { Problem } from "../../rules/problem";
import type { MiniClusterSpec } from "../../spec";

/** Checks the results. */
export function validateResults(spec: MiniClusterSpec): Problem[] {
    const { mode, results } = spec;
    if (results === undefined) {
        return [];
    }
    const { isPathGiven, keepFor, path, volume } = results;
    return [
        ...(mode === "persistent" ? [{ property: "results", reason: PERSISTENT }] : []),
        ...problemsOfResults({ ...results, path: isPathGiven ? path : undefined }),
        ...problemsOfVolume(volume, spec.volumes),
        ...validateFailure(spec),
        ...validateAtLeast([["results.keepFor", keepFor, 1]]),
    ];
}

/** What results of a command and of a job have. */
interface Kept {
    readonly paths: readonly string[];
    readonly volume?: string;
    /** Undefined if it isn't given. */
    readonly path?: string;
    readonly limit: string;
}

/** The problems of results without their cluster. */
export function problemsOfResults({ limit, path, paths, volume }: Kept): Problem[] {
    return [
        ...(paths.length === 0 ? [{ property: "results.paths", reason: EMPTY }] : []),
        ...paths.flatMap((pattern, index) => validatePattern(`results.paths[${index}]`, pattern)),
        ...(path === undefined ? [] : validatePath(path, volume)),
        ...validateBytes("results.limit", limit),
    ];
}

const PERSISTENT =
    "is given, but this cluster is persistent, and has no command that ends. Give a command too, or copy files by " +
    "npx flux-minicluster cp.";
const EMPTY = 'has no patterns. Name the files and folders that the command leaves behind, such as "out/".';

function validatePattern(property: string, path: string): Problem[] {
    const isWrong = path === "" || path.split("/").includes("..") || /[\n\0]/.test(path);
    const rule = 'it must be a path without "..", in which * and ? may stand for characters';
    return isWrong ? [{ property, reason: `is "${path}"; ${rule}.` }] : [];
}

/** The problems of a volume for results. */
export function problemsOfVolume(name: string | undefined, volumes: MiniClusterSpec["volumes"]): Problem[] {
    const property = "results.volume";
    if (name === undefined) {
        return [];
    }
    const mounts = volumes.filter((volume) => volume.name === name);
    if (mounts.length === 0) {
        const all = volumes.length === 0 ? "there are none" : `these are ${volumes.map((of) => of.name).join(", ")}`;
        return [{ property, reason: `is "${name}", which is none of volumes: ${all}. Name one, or add it there.` }];
    }
    const reason = `is "${name}", which is mounted for reading only. Remove readOnly, or name another volume.`;
    return mounts.every(({ readOnly }) => readOnly) ? [{ property, reason }] : [];
}

function validatePath(path: string, volume: string | undefined): Problem[] {
    const property = "results.path";
    if (volume === undefined) {
        return [{ property, reason: `is "${path}", a folder in a volume, but there is no results.volume. Give both.` }];
    }
    const parts = path.split("/");
    const isWrong = parts.some((part) => ["", ".", ".."].includes(part)) || path.includes("\0");
    return isWrong
        ? [{ property, reason: `is "${path}"; it must be the relative path of a folder in the volume.` }]
        : [];
}

/** The pods that Kubernetes replaces would leave results too, and wait for a client. */
function validateFailure({ backoffLimit, results }: MiniClusterSpec): Problem[] {
    const reason = `is true, but backoffLimit ${backoffLimit} starts a failed command again. Set backoffLimit to 0.`;
    return results?.onFailure && backoffLimit > 0 ? [{ property: "results.onFailure", reason }] : [];
}

/** Tells that a user has to fetch the results. */
export function noticeResults({ results, waitFor }: MiniClusterSpec): Problem[] {
    const isLeft = results !== undefined && results.volume === undefined && waitFor !== "completed";
    const reason =
        `is given, but waitFor is "${waitFor}", so no update fetches the results. ` +
        `Run npx flux-minicluster results within ${results?.keepFor} s after the command's end.`;
    return isLeft ? [{ property: "results", reason }] : [];
}
