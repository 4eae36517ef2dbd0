import type { V1Job } from "@kubernetes/client-node";

import { ANNOTATIONS, QUEUE_LABEL } from "../contract/names";
import { type KubernetesObject, sortKeys } from "../contract/object";
import { owned, shortHash } from "../kube/ownership";
import type { IndexedJobInputs } from "./resource";

/** The Job to create: the manifest, marked as ours, owned by the lead Service and knowing its address. */
export function completeJob(inputs: IndexedJobInputs): V1Job {
    const { lead, manifest } = inputs;
    const { metadata, spec } = manifest;
    const { template } = spec;
    // Kubernetes doesn't write hostAliases for pods on the node's network into the node's own /etc/hosts but into theirs.
    const hostAliases = [{ ip: lead.address, hostnames: [lead.name] }, ...(template.spec.hostAliases ?? [])];
    return {
        ...manifest,
        metadata: owned(metadata, lead, marksOf(inputs)),
        spec: { ...spec, template: { ...template, spec: { ...template.spec, hostAliases } } },
    };
}

/** Annotations by which a Job is recognised. */
function marksOf(inputs: IndexedJobInputs): Record<string, string> {
    const { nonce, rerun } = inputs;
    const marks = { [ANNOTATIONS.nonce]: nonce, [ANNOTATIONS.specHash]: specHash(inputs) };
    return rerun === undefined ? marks : { ...marks, [ANNOTATIONS.rerun]: rerun };
}

/** Why a live Job was run again; undefined where it is a first run. */
export function rerunOf(job: V1Job | undefined): string | undefined {
    return job?.metadata?.annotations?.[ANNOTATIONS.rerun];
}

/** A live Job without the address of the lead, which `completeJob` put before the manifest's own. */
export function withoutLead(job: V1Job): V1Job {
    const { spec } = job;
    if (spec?.template.spec?.hostAliases === undefined) {
        return job;
    }
    const podSpec = { ...spec.template.spec, hostAliases: spec.template.spec.hostAliases.slice(1) };
    return { ...job, spec: { ...spec, template: { ...spec.template, spec: podSpec } } };
}

/** Stands for everything that makes one run differ from another. */
export function specHash(inputs: IndexedJobInputs): string {
    const { autoscaled, lead, manifest, rerun, secretVersion, triggers } = inputs;
    const parts = [
        sortKeys(autoscaled ? withoutSize(manifest) : manifest),
        lead.address,
        rerun ?? "",
        secretVersion ?? "",
        triggers ?? [],
    ];
    return shortHash(JSON.stringify(parts));
}

function withoutSize(manifest: KubernetesObject): KubernetesObject {
    const spec = Object.entries(manifest.spec).filter(([field]) => !SIZE_FIELDS.includes(field));
    return { ...manifest, spec: Object.fromEntries(spec) };
}

/** Fields of the Job's spec that decide on its size. */
export const SIZE_FIELDS: readonly string[] = ["completions", "parallelism"];

/** Fields of the Job's spec that Kubernetes lets one change. */
export const MUTABLE_FIELDS = [
    "activeDeadlineSeconds",
    "backoffLimit",
    "completions",
    "parallelism",
    "suspend",
    "ttlSecondsAfterFinished",
] as const;

/** What of a manifest can't be changed in place; Kueue refuses another queue for a Job that it has admitted. */
export function immutablePart(manifest: KubernetesObject): KubernetesObject {
    const { metadata, spec } = manifest;
    const fixed = Object.entries(spec).filter(([key]) => !(MUTABLE_FIELDS as readonly string[]).includes(key));
    const { labels, name, namespace } = metadata;
    return { name, namespace, queue: labels?.[QUEUE_LABEL], spec: Object.fromEntries(fixed) };
}
