import type * as pulumi from "@pulumi/pulumi";

import type { TimeoutsSpec } from "../contract/timeouts";
import type { Inputs } from "../inputs";
import { DynamicResource, urnOf } from "../shim";

/** Arguments of a JobStatus. */
export interface JobStatusArgs {
    /** Id of the IndexedJob. */
    job: pulumi.Input<string>;
    /** Ranks that have to be in. */
    size: pulumi.Input<number>;
    /** `ready`, `completed` or `none`. */
    waitFor: pulumi.Input<string>;
    /** A command runs and ends the cluster. */
    ephemeral: pulumi.Input<boolean>;
    /** The Job is held on purpose. */
    suspend: pulumi.Input<boolean>;
    /** A queue decides when the Job starts. */
    queued: pulumi.Input<boolean>;
    /** Kubernetes removes the Job some time after its end (`ttlSecondsAfterFinished`). */
    expires?: pulumi.Input<boolean | undefined>;
    /** Somebody else decides on the number of ranks; `size` is what it was at first. */
    autoscaled?: boolean;
    /** Seconds. */
    timeouts: pulumi.Input<TimeoutsSpec>;
    /** Bytes of rank 0's log that are kept, counted from its end. */
    maxBytes: pulumi.Input<number>;
    /** Encrypt what is kept of the log, and show none of it in an error. */
    secretOutput?: boolean;
    kubeconfig?: pulumi.Input<string>;
    context?: pulumi.Input<string>;
}

export type JobStatusInputs = Inputs<JobStatusArgs>;

/** Where a cluster is in its life. */
export type Phase =
    | "expired"
    | "failed"
    | "gone"
    | "pending"
    | "queued"
    | "ready"
    | "running"
    | "starting"
    | "succeeded"
    | "suspended"
    | "unknown";

export interface Recorded {
    readonly phase: Phase;
    /** Exit code of rank 0, once it has ended. */
    readonly exitCode?: number;
    /** End of rank 0's log. */
    readonly output: string;
    /** Rank to node. */
    readonly nodes: Record<string, string>;
    /** Seconds since the Job's creation, by phase. */
    readonly timings: Record<string, number>;
    /** The rank that the others waited for, and why. */
    readonly slowest: string;
}

export interface JobStatusOutputs extends JobStatusInputs, Recorded {
    readonly schemaVersion: number;
}

export const INPUT_NAMES: readonly (keyof JobStatusInputs)[] = [
    "job",
    "size",
    "waitFor",
    "ephemeral",
    "suspend",
    "queued",
    "expires",
    "autoscaled",
    "timeouts",
    "maxBytes",
    "secretOutput",
    "resourceUrn",
    "kubeconfig",
    "context",
];

/**
 * Waits until a Job is ready or complete and keeps what it saw. A resource of its own, so that the Job is in the state
 * before the wait begins and an interrupted wait leaves nothing behind.
 */
export class JobStatus extends DynamicResource {
    declare readonly phase: pulumi.Output<string>;
    declare readonly exitCode: pulumi.Output<number | undefined>;
    declare readonly output: pulumi.Output<string>;
    declare readonly nodes: pulumi.Output<Record<string, string>>;
    declare readonly timings: pulumi.Output<Record<string, number>>;
    declare readonly slowest: pulumi.Output<string>;

    constructor(name: string, args: JobStatusArgs, opts?: pulumi.CustomResourceOptions) {
        const outputs = {
            phase: undefined,
            exitCode: undefined,
            output: undefined,
            nodes: undefined,
            timings: undefined,
            slowest: undefined,
            schemaVersion: undefined,
        };
        super(
            "JobStatus",
            name,
            { ...args, resourceUrn: urnOf("JobStatus", name, opts), ...outputs },
            { ...opts, additionalSecretOutputs: args.secretOutput ? ["output"] : [] },
        );
    }
}
