import { isDeepStrictEqual } from "node:util";

import type { V1Job } from "@kubernetes/client-node";

import { ANNOTATIONS, QUEUE_LABEL } from "../contract/names";
import type { KubernetesObject } from "../contract/object";
import { MUTABLE_FIELDS, rerunOf, SIZE_FIELDS, specHash } from "./identity";
import type { IndexedJobInputs } from "./resource";

/** A JSON merge patch of a Job. */
export interface JobPatch {
    readonly metadata: KubernetesObject;
    readonly spec: KubernetesObject;
}

/**
 * The JSON merge patch that makes a Job what is wanted, or undefined where it is already. `before` is what was wanted
 * last: only what this package once set is removed. Where another client decides on the size, the patch leaves it out.
 */
export function jobPatch(before: KubernetesObject, inputs: IndexedJobInputs, live: V1Job): JobPatch | undefined {
    const { autoscaled, manifest: wanted } = inputs;
    const metadata = {
        annotations: {
            ...textsPatch(before.metadata.annotations, wanted.metadata.annotations, live.metadata?.annotations),
            ...hashPatch(inputs, live),
        },
        labels: textsPatch(before.metadata.labels, wanted.metadata.labels, live.metadata?.labels),
    };
    const spec = specPatch(before, wanted, live, patchedFields(wanted, autoscaled));
    if ([metadata.annotations, metadata.labels, spec].every((part) => Object.keys(part).length === 0)) {
        return undefined;
    }
    // With the UID in it, the API server refuses to patch a Job that took the place of this one.
    return { metadata: { ...metadata, uid: live.metadata?.uid }, spec };
}

/** A Job that is lost after a patch is recognised by the hash of what it was patched to. */
function hashPatch(inputs: IndexedJobInputs, live: V1Job): Record<string, string> {
    const hash = specHash({ ...inputs, rerun: inputs.rerun ?? rerunOf(live) });
    return live.metadata?.annotations?.[ANNOTATIONS.specHash] === hash ? {} : { [ANNOTATIONS.specHash]: hash };
}

/** The fields on which nobody else decides. */
export function patchedFields(wanted: KubernetesObject, autoscaled = false): readonly string[] {
    const queued = wanted.metadata.labels?.[QUEUE_LABEL] !== undefined;
    const others = [...(autoscaled ? SIZE_FIELDS : []), ...(queued ? ["suspend"] : [])];
    return MUTABLE_FIELDS.filter((field) => !others.includes(field));
}

function specPatch(
    before: KubernetesObject,
    wanted: KubernetesObject,
    live: V1Job,
    fields: readonly string[],
): KubernetesObject {
    const has = (live.spec ?? {}) as unknown as KubernetesObject;
    const changed = fields.filter((field) =>
        wanted.spec[field] === undefined
            ? before.spec[field] !== undefined && has[field] !== undefined
            : !isDeepStrictEqual(wanted.spec[field], has[field]),
    );
    const patch = Object.fromEntries(changed.map((field) => [field, wanted.spec[field] ?? null]));
    // Kubernetes takes one of the two only together with the other.
    return SIZE_FIELDS.some((field) => field in patch)
        ? { ...patch, completions: wanted.spec.completions, parallelism: wanted.spec.parallelism }
        : patch;
}

type Texts = Record<string, string>;

/** The merge patch of labels or annotations. It removes only those that `before` has. */
export function textsPatch(before: Texts = {}, wanted: Texts = {}, live: Texts = {}): Record<string, string | null> {
    const removed = Object.keys(before).filter((key) => !(key in wanted) && key in live);
    const changed = Object.entries(wanted).filter(([key, value]) => live[key] !== value);
    return { ...Object.fromEntries(removed.map((key) => [key, null])), ...Object.fromEntries(changed) };
}
