import type { KubernetesObject } from "@kubernetes/client-node";

import type { Kube } from "../kubernetes/client";
import { ifThere } from "../kubernetes/failures/failure";
import type { Address, Placed } from "./properties";

/** The kinds of objects that are in an API group, by their names in paths. */
const PLURALS: Readonly<Record<string, string>> = {
    Deployment: "deployments",
    NetworkPolicy: "networkpolicies",
    PodDisruptionBudget: "poddisruptionbudgets",
    Role: "roles",
    RoleBinding: "rolebindings",
};

const CORE = ["Secret", "Service", "ServiceAccount"] as const;

export function find(kube: Kube, at: Placed): Promise<KubernetesObject | undefined> {
    const { name, namespace } = at;
    const core = CORE.find((kind) => kind === at.kind);
    return ifThere<KubernetesObject>(
        core === undefined
            ? kube.custom.getNamespacedCustomObject({ ...pathOf(at), namespace, name })
            : kube.core[`readNamespaced${core}`]({ namespace, name }),
    );
}

/** Deletes the object if its UID is still this one. */
export async function remove(kube: Kube, at: Placed, uid: string | undefined): Promise<void> {
    const { name, namespace } = at;
    const core = CORE.find((kind) => kind === at.kind);
    const body = { preconditions: { uid }, propagationPolicy: "Background" };
    await ifThere<unknown>(
        core === undefined
            ? kube.custom.deleteNamespacedCustomObject({ ...pathOf(at), namespace, name, body })
            : kube.core[`deleteNamespaced${core}`]({ namespace, name, body }),
    );
}

function pathOf({ apiVersion, kind }: Placed) {
    const [group, version] = apiVersion.split("/");
    return { group, version, plural: PLURALS[kind] };
}

export function isKnown({ kind }: Pick<Address, "kind">): boolean {
    return kind in PLURALS || (CORE as readonly string[]).includes(kind);
}
