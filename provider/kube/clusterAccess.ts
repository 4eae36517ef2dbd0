/** A Kubernetes cluster and its credentials. If empty, they are chosen at each call, as kubectl chooses them. */
export interface ClusterAccess {
    /** Text or path of a kubeconfig. */
    readonly kubeconfig?: string;
    readonly context?: string;
}

/** A text that is equal for equal accesses. */
export function accessKey({ context, kubeconfig }: ClusterAccess): string {
    return JSON.stringify([kubeconfig, context]);
}
