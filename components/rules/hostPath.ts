import type { Problem } from "./problem";

/** Refuses a path on the node that is relative or contains `..`. */
export function validateHostPath(property: string, path: string | undefined): Problem[] {
    if (path === undefined) {
        return [];
    }
    if (!path.startsWith("/")) {
        return [{ property, reason: `is "${path}"; it must be an absolute path.` }];
    }
    return path.split("/").includes("..")
        ? [{ property, reason: `is "${path}"; Kubernetes allows no ".." in a host path. Give the path without it.` }]
        : [];
}
