import type { Input } from "@pulumi/pulumi";

/** Compute resources of a pod, in Kubernetes quantities (`"4"`, `"500m"`, `"8Gi"`). */
export interface ResourcesArgs {
    /**
     * Upper limits. A limit of `cpu` is a quota, which can make programs with several threads or tasks much slower:
     * give a request instead.
     * @default none
     */
    limits?: Input<{ [name: string]: Input<string> }>;
    /** What the Kubernetes scheduler reserves. @default the limits */
    requests?: Input<{ [name: string]: Input<string> }>;
}
