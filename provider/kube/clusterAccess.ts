/** Which cluster, and as whom. Empty: as kubectl would choose, at the time of each call. */
export interface ClusterAccess {
    /** Text or path of a kubeconfig. */
    readonly kubeconfig?: string;
    readonly context?: string;
}
