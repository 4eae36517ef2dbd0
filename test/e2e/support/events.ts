import type { TestNamespace } from "./namespace";

/** Gives Pulumi the right to write Events. docs/rbac.yaml leaves it out, for they are not needed. */
export async function allowEvents(namespace: TestNamespace): Promise<void> {
    const { rbac } = namespace.kube;
    const here = { namespace: namespace.name };
    const rules = [{ apiGroups: [""], resources: ["events"], verbs: ["create"] }];
    await rbac.createNamespacedRole({ ...here, body: { metadata: { name: "events" }, rules } });
    const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "events" };
    const subjects = [{ kind: "ServiceAccount", name: "pulumi", namespace: namespace.name }];
    await rbac.createNamespacedRoleBinding({ ...here, body: { metadata: { name: "events" }, roleRef, subjects } });
}

/** What our Events on a Job say, in their order. */
export async function eventsOn(namespace: TestNamespace, job: string): Promise<string[]> {
    const fieldSelector = `involvedObject.kind=Job,involvedObject.name=${job}`;
    const { items } = await namespace.kube.core.listNamespacedEvent({ namespace: namespace.name, fieldSelector });
    return items
        .filter(({ source }) => source?.component === "flux-minicluster")
        .sort((a, b) => Number(a.metadata.resourceVersion) - Number(b.metadata.resourceVersion))
        .map(({ message, reason, type }) => `${type} ${reason}: ${message}`);
}
