import type { Input } from "@pulumi/pulumi";

import type { ProgramArgs } from "./programArgs";

/**
 * A container beside the broker: a native sidecar, which starts before it, ends after it and doesn't keep the Job alive. It
 * has the cluster's `volumes` at their paths, and Flux' socket: FLUX_URI names it, and it is there when the broker is up.
 * To use it the image has a Flux of the same version, and runs as the pods' user.
 * @see https://kubernetes.io/docs/concepts/workloads/pods/sidecar-containers/
 */
export interface SidecarArgs extends ProgramArgs {
    /** Run it on rank 0 only: needs `command`, and /bin/sh and sleep in the image. @default false: on every rank */
    leadOnly?: Input<boolean>;
}
