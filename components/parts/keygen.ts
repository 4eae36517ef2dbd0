/** Who makes the cluster's CURVE key. */
export enum Keygen {
    /** Pulumi makes the key, and nothing is run for it. The key is in the stack's state. */
    Native = "native",
    /**
     * A pod of its own runs `flux keygen` of the image and prints the key. Its log is read and checked, and the pod is
     * removed. Preview warns, because log collectors may keep the log. The key is in the stack's state.
     */
    Pod = "pod",
    /**
     * The lead makes the key in an init container, in memory at /mnt/curve. The other ranks get it through a Secret.
     * Pulumi makes a service account with a right to that one Secret, as which the pods run, and never sees the key.
     * Give `imagePullSecrets`, or a `serviceAccountName` of your own.
     */
    InitContainer = "initContainer",
}

/** The children of a cluster depend on it too, before any argument is decided. */
export const DEFAULT_KEYGEN = Keygen.Native;
