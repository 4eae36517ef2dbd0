import type { TestNamespace } from "./namespace";

/** The texts of the package's Events on a Job, in their order. */
export async function eventsOn(namespace: TestNamespace, job: string): Promise<string[]> {
    const fieldSelector = `involvedObject.kind=Job,involvedObject.name=${job}`;
    const { items } = await namespace.kube.core.listNamespacedEvent({ namespace: namespace.name, fieldSelector });
    return items
        .filter(({ source }) => source?.component === "flux-minicluster")
        .sort((a, b) => Number(a.metadata.resourceVersion) - Number(b.metadata.resourceVersion))
        .map(({ message, reason, type }) => `${type} ${reason}: ${message}`);
}
