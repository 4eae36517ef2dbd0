import type { ClusterAccess } from "../kubernetes/kubeconfig/clusterAccess";

/** An object that the Kubernetes provider creates for a MiniCluster. */
export interface Address {
    readonly apiVersion: string;
    readonly kind: string;
    /** Undefined for that of the kubeconfig, which the Kubernetes provider uses too. */
    readonly namespace?: string;
    readonly name: string;
}

/** Such an object in a known namespace. */
export interface Placed extends Address {
    readonly namespace: string;
}

/** The inputs of such an object, as the Kubernetes provider completes them. */
export interface Created extends Pick<Address, "apiVersion" | "kind"> {
    readonly metadata: Pick<Address, "name" | "namespace"> & {
        readonly annotations?: Readonly<Record<string, string>>;
    };
}

/** What an interrupted creation may have left, and where. */
export interface Remains extends ClusterAccess {
    readonly object: Address;
    /** Tells the objects of this stack from those of others. */
    readonly nonce: string | undefined;
    /** Name of the cluster's Job. */
    readonly job: string;
}
