import type { Problem } from "./problem";

/** A path on the node. */
export function validateHostPath(property: string, path: string | undefined): Problem[] {
    if (path === undefined) {
        return [];
    }
    if (!path.startsWith("/")) {
        return [{ property, reason: `is "${path}"; it must be absolute.` }];
    }
    return path.split("/").includes("..")
        ? [{ property, reason: `is "${path}"; Kubernetes takes no ".." in it.` }]
        : [];
}
