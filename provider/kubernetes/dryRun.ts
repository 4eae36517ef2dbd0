import type { V1Job, V1Pod } from "@kubernetes/client-node";

import type { Kube } from "./client";

/**
 * The warnings with which the API server would create an object. Fails with its refusal. A dry run passes all steps of
 * admission, and stores nothing: webhooks that have side effects are not called, and the object is refused.
 * @see https://kubernetes.io/docs/reference/using-api/api-concepts/#dry-run
 */
export async function dryRun(kube: Kube, namespace: string, object: V1Job | V1Pod): Promise<string[]> {
    return warningsIn((await create(kube, namespace, object)).warning);
}

/** The Job as the API server would store it, with the changes of admission. */
export async function dryJob(kube: Kube, namespace: string, job: V1Job): Promise<V1Job> {
    return (await create(kube, namespace, job)).answer as V1Job;
}

function create(kube: Kube, namespace: string, object: V1Job | V1Pod) {
    const [api, resource] = object.kind === "Job" ? ["/apis/batch/v1", "jobs"] : ["/api/v1", "pods"];
    const query = { dryRun: "All", fieldValidation: "Warn" };
    return kube.ask(`${api}/namespaces/${namespace}/${resource}`, query, object);
}

/** The texts of a header `Warning`, in which the client joins several with commas. */
export function warningsIn(header: string): string[] {
    const texts = [...header.matchAll(/\b299 \S+ "((?:[^"\\]|\\.)*)"/g)];
    return texts.map(([, text]) => text.replace(/\\(.)/g, "$1"));
}
