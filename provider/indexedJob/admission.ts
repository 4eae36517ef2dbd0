import { isDeepStrictEqual } from "node:util";

import type { V1Job } from "@kubernetes/client-node";

import type { Json, KubernetesObject } from "../contract/object";
import type { JobPatch } from "../guard/guard";
import { type Admitted, type Path, valueAt } from "./admitted";
import { projectedManifest } from "./drift";
import { MUTABLE_FIELDS } from "./identity";
import type { IndexedJobInputs, IndexedJobOutputs } from "./properties";

/** The values in which the API server's answer differs from the manifest; undefined if there are none. */
export function admittedOf(manifest: KubernetesObject, answer: V1Job): readonly Admitted[] | undefined {
    return orNone(differences(manifest, projectedManifest(manifest, answer), []));
}

/** The same for the immutable values, which can't have been changed after the Job was created. */
export function admittedForGood(manifest: KubernetesObject, live: V1Job): readonly Admitted[] | undefined {
    const mutable: readonly unknown[] = MUTABLE_FIELDS;
    return orNone(
        (admittedOf(manifest, live) ?? []).filter(
            ({ path: [part, field] }) => part === "spec" && !mutable.includes(field),
        ),
    );
}

/**
 * The same after a patch. Only fields that the patch sets are read from its answer: another client may have changed
 * others.
 */
export function admittedAfter(
    olds: Pick<IndexedJobOutputs, "admitted">,
    { manifest }: IndexedJobInputs,
    patch: JobPatch | undefined,
    answer: V1Job | undefined,
): readonly Admitted[] | undefined {
    const before = (olds.admitted ?? []).filter(({ asked, path }) => isDeepStrictEqual(valueAt(manifest, path), asked));
    if (answer === undefined) {
        return orNone(before);
    }
    const isAsked = ({ path }: Admitted) => isIn(patch, path);
    const now = (admittedOf(manifest, answer) ?? []).filter(isAsked);
    return orNone([...before.filter((one) => !isAsked(one)), ...now]);
}

/** True if a patch sets a value, or an object that contains it. */
function isIn(patch: unknown, [key, ...rest]: Path): boolean {
    if (key === undefined || typeof patch !== "object" || patch === null || Array.isArray(patch)) {
        return patch !== undefined;
    }
    return isIn((patch as KubernetesObject)[key], rest);
}

function orNone<T>(list: readonly T[]): readonly T[] | undefined {
    return list.length > 0 ? list : undefined;
}

function differences(asked: Json, answered: Json, path: Path): Admitted[] {
    if (isDeepStrictEqual(asked, answered)) {
        return [];
    }
    if (!isAlike(asked, answered)) {
        return [{ path, asked, answered }];
    }
    const key = (name: string) => (Array.isArray(asked) ? Number(name) : name);
    return Object.keys(asked).flatMap((name) => differences(asked[name], answered[name], [...path, key(name)]));
}

/** True for two objects, or two lists of the same length: they are compared item by item. */
function isAlike(one: unknown, other: unknown): boolean {
    if (Array.isArray(one) || Array.isArray(other)) {
        return Array.isArray(one) && Array.isArray(other) && one.length === other.length;
    }
    return [one, other].every((value) => typeof value === "object" && value !== null);
}
