import { createHash } from "node:crypto";

import type { KubernetesObject as Live, V1Job, V1ObjectMeta } from "@kubernetes/client-node";

import { QUEUE_LABEL } from "../../components/manifests/job";
import { type KubernetesObject, sortKeys } from "../../components/manifests/object";
import { ANNOTATIONS } from "../../components/names";
import type { IndexedJobInputs, LeadService } from "./resource";

/** A Job of this package: which one, and which object in the cluster. */
export interface JobId {
    readonly namespace: string;
    readonly name: string;
    readonly uid: string;
}

export function formatId(job: V1Job): string {
    return `${job.metadata?.namespace}/${job.metadata?.name}/${job.metadata?.uid}`;
}

export function parseId(id: string): JobId {
    const [namespace, name, uid] = id.split("/");
    return { namespace, name, uid };
}

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

/**
 * Metadata of what is ours: with marks by which it is recognised, and an owner. What is in the cluster and not yet in the state
 * goes with the lead Service, which is.
 */
export function owned(metadata: KubernetesObject, { name, uid }: LeadService, marks: Readonly<Record<string, string>>): V1ObjectMeta {
    const owner = { apiVersion: "v1", kind: "Service", name, uid };
    return { ...metadata, annotations: { ...metadata["annotations"], ...marks }, ownerReferences: [owner] };
}

/** Stands for a text in a mark. */
export function shortHash(text: string): string {
    return createHash("sha256").update(text).digest("hex").slice(0, 16);
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
    const parts = [sortKeys(autoscaled ? withoutSize(manifest) : manifest), lead.address, rerun ?? "", secretVersion ?? "", triggers ?? []];
    return shortHash(JSON.stringify(parts));
}

function withoutSize(manifest: KubernetesObject): KubernetesObject {
    const spec = Object.entries(manifest.spec).filter(([field]) => !SIZE_FIELDS.includes(field));
    return { ...manifest, spec: Object.fromEntries(spec) };
}

/** How a Job, or a pod, that is already there relates to the one that is wanted. */
export type Claim =
    | { readonly kind: "same" }
    | { readonly kind: "stale" }
    | { readonly kind: "foreign"; readonly owner: string };

export function claim(live: Live, wanted: Live): Claim {
    const has = live.metadata?.annotations ?? {};
    const wants = wanted.metadata?.annotations ?? {};
    if (has[ANNOTATIONS.nonce] !== wants[ANNOTATIONS.nonce]) {
        return { kind: "foreign", owner: describeOwner(live) };
    }
    return has[ANNOTATIONS.specHash] === wants[ANNOTATIONS.specHash] ? { kind: "same" } : { kind: "stale" };
}

export function hasNonce({ metadata }: Live, nonce: string): boolean {
    return metadata?.annotations?.[ANNOTATIONS.nonce] === nonce;
}

function describeOwner(job: Live): string {
    const { annotations, ownerReferences } = job.metadata ?? {};
    const nonce = annotations?.[ANNOTATIONS.nonce];
    if (nonce !== undefined) {
        return `another MiniCluster (nonce ${nonce})`;
    }
    const owner = ownerReferences?.[0];
    return owner === undefined ? describeMaker(job) : `${owner.kind} ${owner.name}`;
}

function describeMaker({ metadata }: Live): string {
    const tool = metadata?.labels?.["app.kubernetes.io/managed-by"];
    return tool ?? metadata?.managedFields?.[0]?.manager ?? "somebody else";
}

/** Fields of the Job's spec that decide on its size. */
export const SIZE_FIELDS: readonly string[] = ["completions", "parallelism"];

/** Fields of the Job's spec that Kubernetes lets one change. */
export const MUTABLE_FIELDS = [
    "activeDeadlineSeconds", "backoffLimit", "completions", "parallelism", "suspend", "ttlSecondsAfterFinished",
] as const;

/** What of a manifest can't be changed in place; Kueue refuses another queue for a Job that it has admitted. */
export function immutablePart(manifest: KubernetesObject): KubernetesObject {
    const { metadata, spec } = manifest;
    const fixed = Object.entries(spec).filter(([key]) => !(MUTABLE_FIELDS as readonly string[]).includes(key));
    const { labels, name, namespace } = metadata;
    return { name, namespace, queue: labels?.[QUEUE_LABEL], spec: Object.fromEntries(fixed) };
}
