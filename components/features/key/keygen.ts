/** How the cluster's CURVE key is made. */
export const Keygen = {
    /** Pulumi makes the key, without a pod. The key is in the stack's state. */
    Native: "native",
    /**
     * A separate pod runs `flux keygen` of the image and prints the key. Pulumi reads the key from the pod's log,
     * checks it, and removes the pod. Preview warns, because log collectors may keep the log. The key is in the stack's
     * state.
     */
    Pod: "pod",
    /**
     * The lead makes the key in an init container, in memory at /mnt/curve. The other ranks get it through a Secret.
     * The key is in the stack's state only after a `pulumi refresh`, which records that Secret. Pulumi makes a service
     * account for the pods, which has a right to that one Secret and no pull secrets: give `imagePullSecrets`, or a
     * `serviceAccountName` of your own.
     */
    InitContainer: "initContainer",
} as const;

export type Keygen = (typeof Keygen)[keyof typeof Keygen];

export declare namespace Keygen {
    export type Native = "native";
    export type Pod = "pod";
    export type InitContainer = "initContainer";
}

/** Default of the argument `keygen`. */
export const DEFAULT_KEYGEN = Keygen.Native;
