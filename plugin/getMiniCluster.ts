import { textOf } from "../components/features/access";

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

/** @see GetMiniCluster */
export const getMiniCluster: GetMiniCluster = async ({ context, kubeconfig, name, namespace }) => {
    const { connect } = await import("../provider/kubernetes/client.js");
    const { sentence } = await import("../provider/kubernetes/failures/failure.js");
    const { jobNamed } = await import("../provider/observe/job.js");
    const { isCluster, summaryOf } = await import("../provider/observe/summary.js");
    const kube = connect({ context: context ?? undefined, kubeconfig: textOf(kubeconfig as string | object) });
    const place = namespace ?? kube.namespace;
    const job = await jobNamed(kube, { namespace: place, name }).catch((cause: unknown) => {
        throw new Error(`MiniCluster ${place}/${name} can't be read: ${sentence(cause)}`, { cause });
    });
    if (job === undefined) {
        throw new Error(`There is no MiniCluster ${place}/${name} in the cluster at ${kube.server}.`);
    }
    if (!isCluster(job)) {
        throw new Error(`Job ${place}/${name} is no MiniCluster. Give the name of a MiniCluster.`);
    }
    const { phase, ready, size, uid } = summaryOf(job);
    return { name, namespace: place, uid, size, ready, phase };
};
