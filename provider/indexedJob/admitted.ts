import { isDeepStrictEqual } from "node:util";

import type { Json, KubernetesObject } from "../contract/object";

/** Keys and indices from the manifest down to a value. */
export type Path = readonly (string | number)[];

/** A value of the manifest that the API server or an admission webhook changed when the Job was created. */
export interface Admitted {
    readonly path: Path;
    readonly asked?: unknown;
    /** Undefined if the value was removed, or if the Kubernetes client doesn't know the field. */
    readonly answered?: unknown;
}

/** A live manifest with the requested values in place of the admitted ones, so that these don't count as drift. */
export function withoutAdmitted(live: KubernetesObject, admitted: readonly Admitted[] = []): KubernetesObject {
    return admitted.reduce(
        (manifest, { answered, asked, path }) =>
            isDeepStrictEqual(valueAt(manifest, path), answered) ? replaceAt(manifest, path, asked) : manifest,
        live,
    );
}

export function valueAt(object: Json, path: Path): unknown {
    return path.reduce((value: Json, key) => value?.[key], object);
}

function replaceAt(object: Json, [key, ...rest]: Path, value: unknown): Json {
    if (key === undefined) {
        return value;
    }
    const copy = Array.isArray(object) ? [...object] : { ...object };
    copy[key] = replaceAt(copy[key], rest, value);
    return copy;
}
