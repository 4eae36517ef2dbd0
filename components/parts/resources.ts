import type { Input } from "@pulumi/pulumi";

/** Compute resources of a pod, in Kubernetes quantities (`"4"`, `"500m"`, `"8Gi"`). */
export interface ResourcesArgs {
    /**
     * Upper limits. Flux schedules on the whole CPUs and the GPUs among them (see `gpuResources`).
     * @default none
     */
    limits?: Input<{ [name: string]: Input<string> }>;
    /** What the Kubernetes scheduler reserves. @default the limits */
    requests?: Input<{ [name: string]: Input<string> }>;
}
