import type { Input } from "@pulumi/pulumi";

import type { ProgramArgs } from "./programArgs";

/**
 * A program that all ranks share, such as a database or a registry. All services of a cluster are containers of one pod, in
 * a Deployment beside the Job, and answer as NAME-services.NAMESPACE.svc.DOMAIN. They are there before the first rank.
 * @see https://kubernetes.io/docs/concepts/workloads/controllers/deployment/
 */
export interface ServiceArgs extends ProgramArgs {
    /** TCP ports that it listens on; no two services of a cluster have the same. */
    ports: Input<Input<number>[]>;
}
