import type { Kube } from "./client";

/** A right of the current user. */
export interface Right {
    readonly group: string;
    /** With its subresource, for example `pods/log`. */
    readonly resource: string;
    readonly verb: string;
    /** Undefined for a right in all namespaces. */
    readonly namespace?: string;
}

const PATH = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";

/** True if the API server would allow a request. The review of access stores nothing. */
export async function isAllowed(kube: Kube, { group, namespace, resource: whole, verb }: Right): Promise<boolean> {
    const [resource, subresource] = whole.split("/");
    const resourceAttributes = { group, namespace, resource, subresource, verb };
    const review = {
        apiVersion: "authorization.k8s.io/v1",
        kind: "SelfSubjectAccessReview",
        spec: { resourceAttributes },
    };
    const { answer } = await kube.ask<{ readonly status?: { readonly allowed?: boolean } }>(PATH, {}, review);
    return answer.status?.allowed === true;
}
