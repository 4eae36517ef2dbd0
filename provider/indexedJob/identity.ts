import type { V1Job } from "@kubernetes/client-node";

import { keyedHash } from "../contract/curveKey";
import { ANNOTATIONS, QUEUE_PRIORITY_LABEL } from "../contract/labels";
import { type KubernetesObject, sortKeys } from "../contract/object";
import { owned, shortHash, stackOf } from "../kubernetes/ownership";
import { leastInQueue, queueOf } from "../judge/queue/queuedJob";
import type { IndexedJobInputs } from "./properties";

/**
 * The Job to create: the manifest with this package's marks, with the lead Service as its owner, and with its address.
 */
export function completeJob(inputs: IndexedJobInputs): V1Job {
    const { lead, manifest } = inputs;
    const { metadata, spec } = manifest;
    const { template } = spec;
    // hostAliases also work with the node's network: Kubernetes writes them into the pod's /etc/hosts, not into the
    // node's.
    const hostAliases = [{ ip: lead.address, hostnames: [lead.name] }, ...(template.spec.hostAliases ?? [])];
    return {
        ...manifest,
        metadata: owned(metadata, lead, marksOf(inputs)),
        spec: { ...spec, template: { ...template, spec: { ...template.spec, hostAliases } } },
    };
}

/** Annotations that identify a Job. */
function marksOf(inputs: IndexedJobInputs): Record<string, string> {
    const { nonce, rerun, resourceUrn } = inputs;
    const stack = stackOf(resourceUrn);
    const marks = {
        [ANNOTATIONS.nonce]: nonce,
        [ANNOTATIONS.specHash]: specHash(inputs),
        ...(stack === undefined ? {} : { [ANNOTATIONS.stack]: stack }),
    };
    return rerun === undefined ? marks : { ...marks, [ANNOTATIONS.rerun]: rerun };
}

/** Why a live Job was run again; undefined for a first run. */
export function rerunOf(job: V1Job | undefined): string | undefined {
    return job?.metadata?.annotations?.[ANNOTATIONS.rerun];
}

/** A live Job without the address of the lead, which `completeJob` put before the manifest's own hostAliases. */
export function withoutLead(job: V1Job): V1Job {
    const { spec } = job;
    if (spec?.template.spec?.hostAliases === undefined) {
        return job;
    }
    const podSpec = { ...spec.template.spec, hostAliases: spec.template.spec.hostAliases.slice(1) };
    return { ...job, spec: { ...spec, template: { ...spec.template, spec: podSpec } } };
}

/** Hash of everything by which one run differs from another. */
export function specHash(inputs: IndexedJobInputs): string {
    const { lead, manifest, rerun, secretVersion, sizedBy } = inputs;
    const parts = [
        sortKeys(sizedBy ? withoutSize(manifest) : manifest),
        lead.address,
        rerun ?? "",
        secretVersion ?? "",
        triggersMark(inputs),
    ];
    return shortHash(JSON.stringify(parts));
}

/** The triggers, or a keyed hash of them, because they may be secrets. */
function triggersMark({ markKey, triggers = [] }: IndexedJobInputs): unknown {
    return triggers.length === 0 || !markKey ? triggers : keyedHash(markKey, JSON.stringify(triggers));
}

/** The manifest of a Job whose size another client decides. */
export function withoutSize(manifest: KubernetesObject): KubernetesObject {
    const spec = Object.entries(manifest.spec).filter(([field]) => !SIZE_FIELDS.includes(field));
    return { ...manifest, spec: Object.fromEntries(spec) };
}

/** Fields of the Job's spec that set its size. */
export const SIZE_FIELDS: readonly string[] = ["completions", "parallelism"];

/** Fields of the Job's spec that can be changed in Kubernetes. */
export const MUTABLE_FIELDS = [
    "activeDeadlineSeconds",
    "backoffLimit",
    "completions",
    "parallelism",
    "suspend",
    "ttlSecondsAfterFinished",
] as const;

/**
 * The part of a manifest that can't be changed in place. Kueue refuses another queue for a Job that it has admitted, and
 * refuses to give it a priority class or to take the class away. It accepts another class. It also refuses most changes of
 * the least number of pods.
 */
export function immutablePart(manifest: KubernetesObject): KubernetesObject {
    const { metadata, spec } = manifest;
    const fixed = Object.entries(spec).filter(([key]) => !(MUTABLE_FIELDS as readonly string[]).includes(key));
    const { labels, name, namespace } = metadata;
    const queue = queueOf(manifest);
    const hasPriority = queue !== undefined && labels?.[QUEUE_PRIORITY_LABEL] !== undefined;
    const leastPods = leastInQueue(manifest);
    return { name, namespace, queue, hasPriority, leastPods, spec: Object.fromEntries(fixed) };
}
