import type { V1Role } from "@kubernetes/client-node";

import type { TestNamespace } from "./namespace";

/** The service account as which Pulumi acts. */
export const ACCOUNT = "pulumi";

/** Makes a Role, and gives it to Pulumi. */
export async function bind({ kube: { rbac }, name: namespace }: TestNamespace, role: V1Role): Promise<void> {
    await rbac.createNamespacedRole({ namespace, body: role });
    const name = role.metadata?.name ?? "";
    const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name };
    const subjects = [{ kind: "ServiceAccount", name: ACCOUNT, namespace }];
    await rbac.createNamespacedRoleBinding({ namespace, body: { metadata: { name }, roleRef, subjects } });
}

/** Gives Pulumi a right that docs/rbac.yaml leaves out, for some use of it that is not a MiniCluster's own need. */
export function grant(namespace: TestNamespace, resource: string, verb: string): Promise<void> {
    const rules = [{ apiGroups: [""], resources: [resource], verbs: [verb] }];
    return bind(namespace, { metadata: { name: `${verb}-${resource}` }, rules });
}
