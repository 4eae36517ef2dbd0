import { createHash } from "node:crypto";

import type { V1ConfigMap, V1Namespace } from "@kubernetes/client-node";

import type { Kube } from "./client";
import { hasCode } from "./failures/failure";

/** A mark says which of these it is. The second one is for users without the right to read the first one. */
const KINDS = ["kube-system", "ca"] as const;
type Kind = (typeof KINDS)[number];

/**
 * What tells a Kubernetes cluster from all others: the UID of its namespace kube-system, which is never created again, or a
 * hash of the cluster's authority, which is in each namespace. Undefined if the user may read neither.
 */
export async function clusterMark(kube: Kube, namespace: string): Promise<string | undefined> {
    try {
        for (const kind of KINDS) {
            const value = await valueOf(kube, kind, namespace);
            if (value !== undefined) {
                return `${kind}/${value}`;
            }
        }
    } catch {
        // Other calls tell why a cluster doesn't answer.
    }
    return undefined;
}

/** The mark to keep of a cluster that had this one: an authority is renewed now and then, so its mark is read again. */
export async function presentMark(
    kube: Kube,
    namespace: string,
    mark: string | undefined,
): Promise<string | undefined> {
    return isFirm(mark) ? mark : ((await clusterMark(kube, namespace)) ?? mark);
}

/** True for a mark that never changes. */
export function isFirm(mark: string | undefined): boolean {
    return mark?.startsWith("kube-system/") === true;
}

/** How a mark compares with the one of a cluster. */
export type Comparison =
    | { readonly isSame: true }
    /** `isSure` is false if the cluster may have got a new mark. */
    | { readonly isSame: false; readonly isSure: boolean; readonly why: string };

/**
 * Tells whether a cluster is the one of a mark. Undefined if there is no mark, if the user may not read it, and for equal
 * authorities, which several clusters may share. Fails if the cluster doesn't answer.
 */
export async function compareMark(
    kube: Kube,
    namespace: string,
    mark: string | undefined,
): Promise<Comparison | undefined> {
    const [kind, value] = (mark ?? "").split("/");
    const found = isKind(kind) ? await valueOf(kube, kind, namespace) : undefined;
    if (found === undefined) {
        return undefined;
    }
    const isSure = isFirm(mark);
    if (found === value) {
        return isSure ? { isSame: true } : undefined;
    }
    return { isSame: false, isSure, why: difference(kube, kind as Kind, [found, value]) };
}

function difference({ server }: Kube, kind: Kind, [found, value]: readonly [string, string]): string {
    return kind === "ca"
        ? `the cluster at ${server} has another certificate authority (ConfigMap kube-root-ca.crt)`
        : `namespace kube-system of the cluster at ${server} has the UID ${found} and not ${value}`;
}

function isKind(kind: string | undefined): kind is Kind {
    return KINDS.some((each) => each === kind);
}

async function valueOf(kube: Kube, kind: Kind, namespace: string): Promise<string | undefined> {
    try {
        if (kind === "kube-system") {
            return (await kube.read<V1Namespace>(`/api/v1/namespaces/${kind}`, {})).metadata?.uid;
        }
        const path = `/api/v1/namespaces/${namespace}/configmaps/kube-root-ca.crt`;
        const authority = (await kube.read<V1ConfigMap>(path, {})).data?.["ca.crt"];
        return authority && createHash("sha256").update(authority).digest("hex");
    } catch (error) {
        // The right is optional. An answer that is only missing now says nothing of the cluster.
        if (hasCode(error, 403) || hasCode(error, 404)) {
            return undefined;
        }
        throw error;
    }
}
