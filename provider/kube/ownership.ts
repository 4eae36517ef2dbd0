import { createHash } from "node:crypto";

import type { KubernetesObject as Live, V1ObjectMeta } from "@kubernetes/client-node";

import { ANNOTATIONS } from "../contract/labels";
import type { KubernetesObject } from "../contract/object";
import type { LeadService } from "./leadService";

/**
 * Metadata of an object that this package creates: with marks that identify it, and with the lead Service as its owner.
 * The lead Service is in the state. So its deletion also removes an object that didn't get into the state.
 */
export function owned(
    metadata: KubernetesObject,
    { name, uid }: LeadService,
    marks: Readonly<Record<string, string>>,
): V1ObjectMeta {
    const owner = { apiVersion: "v1", kind: "Service", name, uid };
    return { ...metadata, annotations: { ...metadata["annotations"], ...marks }, ownerReferences: [owner] };
}

/** Hash of a text, for a mark. */
export function shortHash(text: string): string {
    return createHash("sha256").update(text).digest("hex").slice(0, 16);
}

/** How a live object relates to the wanted one: the same, of an earlier spec, or of another owner. */
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
    return tool ?? metadata?.managedFields?.[0]?.manager ?? "another client";
}
