import { isDeepStrictEqual } from "node:util";

import type { KubernetesObject } from "../contract/object";

/** Keys and indices from the manifest down to a value. */
export type Path = readonly (string | number)[];

/** A value of the manifest that the API server, or an admission webhook, has changed when the Job was created. */
export interface Admitted {
    readonly path: Path;
    readonly asked?: unknown;
    /** Undefined where it was removed, or isn't known to the Kubernetes client. */
    readonly answered?: unknown;
}

/** A live manifest with what was asked for in place of what it was answered with: that is no drift. */
export function withoutAdmitted(live: KubernetesObject, admitted: readonly Admitted[] = []): KubernetesObject {
    return admitted.reduce(
        (manifest, { answered, asked, path }) =>
            isDeepStrictEqual(valueAt(manifest, path), answered) ? replaceAt(manifest, path, asked) : manifest,
        live,
    );
}

export function valueAt(object: any, path: Path): unknown {
    return path.reduce((value: any, key) => value?.[key], object);
}

function replaceAt(object: any, [key, ...rest]: Path, value: unknown): any {
    if (key === undefined) {
        return value;
    }
    const copy = Array.isArray(object) ? [...object] : { ...object };
    copy[key] = replaceAt(copy[key], rest, value);
    return copy;
}
