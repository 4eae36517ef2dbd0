import { OWN_PATHS, plainPath } from "../../parts/paths";
import type { Problem } from "../../rules/problem";
import type { MiniClusterSpec } from "../../spec";
import { noticesOfFolder, problemsOfFolder } from "./folderRules";

/** Checks the code. */
export function validateCode({ code, mode }: MiniClusterSpec): Problem[] {
    if (code === undefined) {
        return [];
    }
    return [
        ...(mode === "persistent" ? [{ property: "code", reason: PERSISTENT }] : []),
        ...validatePath(code.path),
        ...problemsOfFolder(code, "all users who may read ConfigMaps"),
    ];
}

const PERSISTENT =
    "is given, but this cluster is persistent, and each edit of a file would end its queue. Give it to the FluxJobs, or " +
    "give a command too.";

function validatePath(path: string): Problem[] {
    const property = "code.path";
    const plain = plainPath(path);
    if (!/^\/[^:\0]*$/.test(path) || plain === "/" || path.split("/").includes("..")) {
        const rule = "it must be an absolute path of a folder, without ':' and '..'";
        return [{ property, reason: `is "${path}"; ${rule}.` }];
    }
    const own = OWN_PATHS.find((other) => isIn(plain, other) || isIn(other, plain));
    if (own === undefined) {
        return [];
    }
    const hidden = `is ${path}, and the cluster itself uses ${own}. Use a path that neither holds it nor is in it.`;
    return [
        { property, reason: own === plain ? `is ${path}, which the cluster uses itself. Use another path.` : hidden },
    ];
}

/** True for a path and what is below it. */
function isIn(folder: string, path: string): boolean {
    return `${path}/`.startsWith(`${folder}/`);
}

/** Warns of code that starts slowly, and of scripts that don't start. */
export function noticeCode({ code }: MiniClusterSpec): Problem[] {
    const cost = (packed: string) => `${packed} packed. Each node keeps that in memory while a rank runs there`;
    return code === undefined ? [] : noticesOfFolder(code, cost);
}
