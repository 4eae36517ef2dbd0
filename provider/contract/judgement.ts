/** Whether the pods that a change starts fit into the Kubernetes cluster. */
export interface Fit {
    readonly class: "never" | "now" | "waits";
    /** One sentence with numbers and the way out; empty for `now`. */
    readonly text: string;
}

/** What a policy judges of a MiniCluster, by its arguments and the Kubernetes cluster. */
export interface Judgement {
    /** Hours of nodes that all pods of the cluster take at most; null without a time limit. */
    readonly nodeHours: number | null;
    /** Missing if it can't be known. */
    readonly fit?: Fit;
    /** True if `interrupt` permits an update to end running work. With `refuse`, the preview itself fails. */
    readonly permitsKill: boolean;
}
