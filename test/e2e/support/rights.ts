import { readFileSync } from "node:fs";
import { join } from "node:path";

import type { V1ClusterRole, V1Role } from "@kubernetes/client-node";
import { parse } from "yaml";

import { root } from "../../../scripts/local/paths";
import type { TestNamespace } from "./namespace";

/** Name of Pulumi's service account. */
export const ACCOUNT = "pulumi";

/** Makes a Role and binds it to Pulumi's service account. */
export async function bind({ kube: { rbac }, name: namespace }: TestNamespace, role: V1Role): Promise<void> {
    await rbac.createNamespacedRole({ namespace, body: role });
    const name = role.metadata?.name ?? "";
    const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name };
    const subjects = [{ kind: "ServiceAccount", name: ACCOUNT, namespace }];
    await rbac.createNamespacedRoleBinding({ namespace, body: { metadata: { name }, roleRef, subjects } });
}

/** Grants Pulumi a right that docs/rbac.yaml leaves out, because only a test's own resources need it. */
export function grant(namespace: TestNamespace, resource: string, verb: string): Promise<void> {
    const rules = [{ apiGroups: [""], resources: [resource], verbs: [verb] }];
    return bind(namespace, { metadata: { name: `${verb}-${resource}` }, rules });
}

/** Gives Pulumi the rights of docs/rbac-fit.yaml, which are cluster-wide. Returns what takes them away. */
export async function bindFit({ kube: { rbac }, name: namespace }: TestNamespace): Promise<() => Promise<unknown>> {
    const name = `${namespace}-fit`;
    const { rules } = parse(readFileSync(join(root, "docs", "rbac-fit.yaml"), "utf8")) as V1ClusterRole;
    await rbac.createClusterRole({ body: { metadata: { name }, rules } });
    const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name };
    const subjects = [{ kind: "ServiceAccount", name: ACCOUNT, namespace }];
    await rbac.createClusterRoleBinding({ body: { metadata: { name }, roleRef, subjects } });
    return () => Promise.all([rbac.deleteClusterRoleBinding({ name }), rbac.deleteClusterRole({ name })]);
}
