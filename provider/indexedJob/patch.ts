import { isDeepStrictEqual } from "node:util";

import type { V1Job } from "@kubernetes/client-node";

import { ANNOTATIONS } from "../contract/labels";
import type { KubernetesObject } from "../contract/object";
import type { JobPatch } from "../guard/guard";
import { asleepSince, wakingFields } from "../kubernetes/sleep";
import { isQueued, isSizedByQueue, isSuspended, SIZE_ANNOTATIONS } from "../judge/queue/queuedJob";
import { MUTABLE_FIELDS, rerunOf, SIZE_FIELDS, specHash } from "./identity";
import type { IndexedJobInputs } from "./properties";

/**
 * The JSON merge patch from the live Job to the wanted one; undefined if they are equal. `before` is the last wanted
 * manifest: only fields that this package has set are removed. If another client decides on the size, the patch leaves
 * it out.
 */
export function jobPatch(before: KubernetesObject, inputs: IndexedJobInputs, live: V1Job): JobPatch | undefined {
    const { manifest: wanted } = inputs;
    const metadata = {
        annotations: {
            ...annotationsPatch(before, wanted, live),
            ...hashPatch(inputs, live),
            ...(asleepSince(live) === undefined ? {} : { [ANNOTATIONS.asleep]: null }),
        },
        labels: textsPatch(before.metadata.labels, wanted.metadata.labels, live.metadata?.labels),
    };
    const spec = {
        ...specPatch(before, wanted, live, patchedFields(inputs, live)),
        ...(isInQueue(wanted, live) && asleepSince(live) !== undefined ? wakingFields(live) : {}),
    };
    if ([metadata.annotations, metadata.labels, spec].every((part) => Object.keys(part).length === 0)) {
        return undefined;
    }
    // Because of the UID, the API server refuses to patch another Job of the same name.
    return { metadata: { ...metadata, uid: live.metadata?.uid }, spec };
}

function annotationsPatch(before: KubernetesObject, wanted: KubernetesObject, live: V1Job): Texts<null> {
    const patch = textsPatch(before.metadata.annotations, wanted.metadata.annotations, live.metadata?.annotations);
    const isAccepted = (key: string) => !isQueued(wanted) || !SIZE_ANNOTATIONS.includes(key);
    return Object.fromEntries(Object.entries(patch).filter(([key]) => isAccepted(key)));
}

/** Sets the hash of the patched Job, by which an update recognises the Job if the state has lost it. */
function hashPatch(inputs: IndexedJobInputs, live: V1Job): Record<string, string> {
    const hash = specHash({ ...inputs, rerun: inputs.rerun ?? rerunOf(live) });
    return live.metadata?.annotations?.[ANNOTATIONS.specHash] === hash ? {} : { [ANNOTATIONS.specHash]: hash };
}

/** True if a queue decides on the suspension. A webhook may have put the Job into one that the program doesn't name. */
function isInQueue(wanted: KubernetesObject, live: V1Job): boolean {
    return isQueued(wanted) || (isQueued(live) && !isSuspended(wanted));
}

/** The fields that no other client decides. */
function patchedFields({ manifest: wanted, sizedBy }: IndexedJobInputs, live: V1Job): readonly string[] {
    const isSized = sizedBy !== undefined || isSizedByQueue(wanted);
    const others = [...(isSized ? SIZE_FIELDS : []), ...(isInQueue(wanted, live) ? ["suspend"] : [])];
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
    // Kubernetes accepts a change of one of the two only together with the other.
    return SIZE_FIELDS.some((field) => field in patch)
        ? { ...patch, completions: wanted.spec.completions, parallelism: wanted.spec.parallelism }
        : patch;
}

/** The labels and annotations of a patch; undefined if it has none. */
export function textsOf(patch: JobPatch | undefined): JobPatch | undefined {
    const { annotations, labels } = patch?.metadata ?? {};
    return Object.keys({ ...annotations, ...labels }).length > 0 ? { ...patch!, spec: {} } : undefined;
}

type Texts<None = never> = Record<string, string | None>;

/** The merge patch of labels or annotations. It removes only those that `before` has. */
export function textsPatch(before: Texts = {}, wanted: Texts = {}, live: Texts = {}): Texts<null> {
    const removed = Object.keys(before).filter((key) => !(key in wanted) && key in live);
    const changed = Object.entries(wanted).filter(([key, value]) => live[key] !== value);
    return { ...Object.fromEntries(removed.map((key) => [key, null])), ...Object.fromEntries(changed) };
}
