import type { Input } from "@pulumi/pulumi";

/** Compute resources of a pod, in Kubernetes quantities (`"4"`, `"500m"`, `"8Gi"`). */
export interface ResourcesArgs {
    /** Upper limits. Whole CPUs and GPUs in it are also what Flux schedules on. */
    limits?: Input<{ [name: string]: Input<string> }>;
    /** What the scheduler sets aside. @default the limits */
    requests?: Input<{ [name: string]: Input<string> }>;
}
