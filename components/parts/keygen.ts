/** Who makes the cluster's CURVE key. */
export enum Keygen {
    /** Pulumi: nothing is run for it, and the key is in the stack's state. */
    Native = "native",
    /** A pod of its own from the image, whose log is read; the key is in the stack's state. */
    Pod = "pod",
    /** An init container of rank 0; the key is in a Secret of the Kubernetes cluster only. */
    InitContainer = "initContainer",
}
