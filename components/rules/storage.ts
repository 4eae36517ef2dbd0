import type { Problem } from "./problem";

/** Refuses an object that has not exactly one of these fields. */
export function validateOneOf<Field extends string>(
    property: string,
    object: { readonly [K in Field]?: unknown },
    fields: readonly Field[],
): Problem[] {
    const given = fields.filter((field) => object[field] !== undefined);
    const all = fields.join(", ");
    const reason =
        given.length === 0
            ? `has none of ${all}; give exactly one.`
            : `has ${given.join(" and ")}; give exactly one of ${all}.`;
    return given.length === 1 ? [] : [{ property, reason }];
}

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
