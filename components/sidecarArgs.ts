import type { Input } from "@pulumi/pulumi";

import type { ResourcesArgs } from "./args";

/**
 * A container beside the broker: a native sidecar, which starts before it, ends after it and doesn't keep the Job alive. It
 * has the cluster's `volumes` at their paths, and Flux' socket: FLUX_URI names it, and it is there when the broker is up.
 * @see https://kubernetes.io/docs/concepts/workloads/pods/sidecar-containers/
 */
export interface SidecarArgs {
    /** DNS label; not `flux` and not `flux-...`. */
    name: Input<string>;
    /** Container image; to use the socket it has a Flux of the same version, and runs as the pods' user. */
    image: Input<string>;
    /** Program and arguments; no shell reads them. @default the image's */
    command?: Input<Input<string>[]>;
    /** Environment variables. @default none */
    environment?: Input<{ [name: string]: Input<string> }>;
    /** Compute resources of the container, besides the pod's others. @default none */
    resources?: Input<ResourcesArgs>;
    /** Run it on rank 0 only: needs `command`, and /bin/sh and sleep in the image. @default false: on every rank */
    leadOnly?: Input<boolean>;
}
