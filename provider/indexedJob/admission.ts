import { isDeepStrictEqual } from "node:util";

import type { V1Job } from "@kubernetes/client-node";

import type { KubernetesObject } from "../../components/manifests/object";
import { type Admitted, type Path, valueAt } from "./admitted";
import { projectedManifest } from "./drift";
import { patchedFields } from "./patch";
import type { IndexedJobInputs, IndexedJobOutputs } from "./resource";

/** What the API server's answer has otherwise than the manifest; undefined where it has nothing. */
export function admittedOf(manifest: KubernetesObject, answer: V1Job): readonly Admitted[] | undefined {
    return orNone(differences(manifest, projectedManifest(manifest, answer), []));
}

/** The same after a patch: only what the patch may change is taken from its answer. */
export function admittedAfter(
    olds: IndexedJobOutputs,
    news: IndexedJobInputs,
    answer: V1Job | undefined,
): readonly Admitted[] | undefined {
    const { autoscaled, manifest } = news;
    const fields = patchedFields(manifest, autoscaled);
    const isPatched = ({ path: [part, field] }: Admitted) =>
        part === "metadata" || (part === "spec" && fields.includes(String(field)));
    const before = (olds.admitted ?? []).filter(({ asked, path }) => isDeepStrictEqual(valueAt(manifest, path), asked));
    if (answer === undefined) {
        return orNone(before);
    }
    const now = (admittedOf(manifest, answer) ?? []).filter(isPatched);
    return orNone([...before.filter((one) => !isPatched(one)), ...now]);
}

function orNone<T>(list: readonly T[]): readonly T[] | undefined {
    return list.length > 0 ? list : undefined;
}

function differences(asked: any, answered: any, path: Path): Admitted[] {
    if (isDeepStrictEqual(asked, answered)) {
        return [];
    }
    if (!isAlike(asked, answered)) {
        return [{ path, asked, answered }];
    }
    const key = (name: string) => (Array.isArray(asked) ? Number(name) : name);
    return Object.keys(asked).flatMap((name) => differences(asked[name], answered[name], [...path, key(name)]));
}

/** Two objects, or two lists of the same length: they can be compared part by part. */
function isAlike(one: unknown, other: unknown): boolean {
    if (Array.isArray(one) || Array.isArray(other)) {
        return Array.isArray(one) && Array.isArray(other) && one.length === other.length;
    }
    return [one, other].every((value) => typeof value === "object" && value !== null);
}
