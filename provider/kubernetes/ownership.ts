import { createHash } from "node:crypto";

import type { KubernetesObject as Live, V1ObjectMeta } from "@kubernetes/client-node";

import { ANNOTATIONS } from "../contract/labels";
import type { KubernetesObject } from "../contract/object";
import type { LeadService } from "../contract/lead";

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
export type Claim = "foreign" | "same" | "stale";

export function claim(live: Live, wanted: Live): Claim {
    const has = live.metadata?.annotations ?? {};
    const wants = wanted.metadata?.annotations ?? {};
    if (has[ANNOTATIONS.nonce] !== wants[ANNOTATIONS.nonce]) {
        return "foreign";
    }
    return has[ANNOTATIONS.specHash] === wants[ANNOTATIONS.specHash] ? "same" : "stale";
}

export function hasNonce({ metadata }: Live, nonce: string): boolean {
    return metadata?.annotations?.[ANNOTATIONS.nonce] === nonce;
}

/** Project and stack of a URN, `urn:pulumi:STACK::PROJECT::TYPE::NAME`. */
export function stackOf(urn = ""): string | undefined {
    const [, stack, project] = /^urn:pulumi:([^:]+)::([^:]+)::/.exec(urn) ?? [];
    return stack === undefined ? undefined : `${project}/${stack}`;
}

/** Why an object of another owner keeps a MiniCluster from its name, with the cures: the one that ends no work comes first. */
export function refusalOfForeign(object: string, live: Live): string {
    return (
        `${object} exists and belongs to ${describeOwner(live)}. Give the MiniCluster another name or namespace, or delete ` +
        "that one with its Services. docs/troubleshooting.md tells how a stack takes over a Job."
    );
}

function describeOwner(job: Live): string {
    const { annotations, ownerReferences } = job.metadata ?? {};
    const nonce = annotations?.[ANNOTATIONS.nonce];
    if (nonce !== undefined) {
        const stack = annotations?.[ANNOTATIONS.stack];
        return `another MiniCluster (${stack === undefined ? `nonce ${nonce}` : `stack ${stack}`})`;
    }
    const owner = ownerReferences?.[0];
    return owner === undefined ? describeMaker(job) : `${owner.kind} ${owner.name}`;
}

function describeMaker({ metadata }: Live): string {
    const tool = metadata?.labels?.["app.kubernetes.io/managed-by"];
    return tool ?? metadata?.managedFields?.[0]?.manager ?? "another client";
}
