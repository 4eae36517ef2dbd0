import { isDeepStrictEqual } from "node:util";

import type { V1Job } from "@kubernetes/client-node";

import { QUEUE_LABEL } from "../../components/manifests/job";
import type { KubernetesObject } from "../../components/manifests/object";
import { MUTABLE_FIELDS } from "./identity";

/**
 * The JSON merge patch that makes a Job what is wanted, or undefined where it is already. `before` is what was wanted
 * last: only what this package once set is removed.
 */
export function jobPatch(before: KubernetesObject, wanted: KubernetesObject, live: V1Job): object | undefined {
    const metadata = {
        annotations: textsPatch(before.metadata.annotations, wanted.metadata.annotations, live.metadata?.annotations),
        labels: textsPatch(before.metadata.labels, wanted.metadata.labels, live.metadata?.labels),
    };
    const spec = specPatch(before, wanted, live);
    if ([metadata.annotations, metadata.labels, spec].every((part) => Object.keys(part).length === 0)) {
        return undefined;
    }
    // With the UID in it, the API server refuses to patch a Job that took the place of this one.
    return { metadata: { ...metadata, uid: live.metadata?.uid }, spec };
}

function specPatch(before: KubernetesObject, wanted: KubernetesObject, live: V1Job): KubernetesObject {
    const has = (live.spec ?? {}) as unknown as KubernetesObject;
    const queued = wanted.metadata.labels?.[QUEUE_LABEL] !== undefined;
    const fields = MUTABLE_FIELDS.filter((field) => !(field === "suspend" && queued));
    const changed = fields.filter((field) =>
        wanted.spec[field] === undefined
            ? before.spec[field] !== undefined && has[field] !== undefined
            : !isDeepStrictEqual(wanted.spec[field], has[field]),
    );
    const patch = Object.fromEntries(changed.map((field) => [field, wanted.spec[field] ?? null]));
    // Kubernetes takes one of the two only together with the other.
    return "completions" in patch || "parallelism" in patch
        ? { ...patch, completions: wanted.spec.completions, parallelism: wanted.spec.parallelism }
        : patch;
}

type Texts = Record<string, string>;

function textsPatch(before: Texts = {}, wanted: Texts = {}, live: Texts = {}): Record<string, string | null> {
    const removed = Object.keys(before).filter((key) => !(key in wanted) && key in live);
    const changed = Object.entries(wanted).filter(([key, value]) => live[key] !== value);
    return { ...Object.fromEntries(removed.map((key) => [key, null])), ...Object.fromEntries(changed) };
}
