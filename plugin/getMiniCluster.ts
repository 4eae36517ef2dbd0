/** Reads an existing MiniCluster from Kubernetes, also one of another stack. It changes nothing. */
export type GetMiniCluster = (args: GetMiniClusterArgs) => Promise<GetMiniClusterResult>;

export interface GetMiniClusterArgs {
    /** Kubernetes name of the Job: the output `name` of the MiniCluster. */
    readonly name: string;
    /** Kubernetes namespace of the Job. @default that of the kubeconfig's context, else `default` */
    readonly namespace?: string;
    /**
     * Kubeconfig: its text, its path or an object.
     * @default KUBECONFIG, ~/.kube/config
     * @secret
     */
    readonly kubeconfig?: unknown;
    /** Context in the kubeconfig. @default the current one */
    readonly context?: string;
}

export interface GetMiniClusterResult {
    /** Kubernetes name of the Job. */
    readonly name: string;
    /** Kubernetes namespace of the Job. */
    readonly namespace: string;
    /** UID of the Job. */
    readonly uid: string;
    /** Number of ranks. */
    readonly size: number;
    /** Number of ranks that are ready. */
    readonly ready: number;
    /** `starting`, `ready`, `suspended`, `succeeded` or `failed`, by the Job alone. */
    readonly phase: string;
}
