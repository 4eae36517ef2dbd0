import type * as pulumi from "@pulumi/pulumi";

import type { Inputs } from "../inputs";
import { DynamicResource, urnOf } from "../shim";

/** Which MiniCluster. */
export interface ClusterName {
    readonly name: string;
    readonly namespace: string;
    /** UID of its Job, which is another one when the cluster is made anew. */
    readonly uid?: string;
}

/** Seconds. */
export interface SubmissionTimeouts {
    readonly ready: number;
    readonly completed?: number;
}

/** Arguments of a FluxSubmission; those of a FluxJob, decided. */
export interface FluxSubmissionArgs {
    cluster: pulumi.Input<ClusterName>;
    /** Nonce of the FluxTicket. */
    nonce: pulumi.Input<string>;
    /** Name that `flux jobs` shows. */
    jobName: pulumi.Input<string>;
    command: pulumi.Input<readonly string[]>;
    nodes?: pulumi.Input<number | undefined>;
    tasks?: pulumi.Input<number | undefined>;
    cores?: pulumi.Input<number | undefined>;
    gpus?: pulumi.Input<number | undefined>;
    environment?: pulumi.Input<Record<string, string>>;
    /** Variables that don't go into the jobspec. */
    secretEnvironment?: pulumi.Input<Record<string, string>>;
    workingDirectory?: pulumi.Input<string | undefined>;
    /** Seconds. */
    timeLimit?: pulumi.Input<number | undefined>;
    /** Values; when one changes, the job is submitted again. */
    triggers?: pulumi.Input<any[]>;
    /** Wait for the job's end. */
    wait: pulumi.Input<boolean>;
    /** Submit a failed job again on the next update. */
    rerunFailed: pulumi.Input<boolean>;
    timeouts: pulumi.Input<SubmissionTimeouts>;
    /** Bytes of the job's output that are kept, counted from its end. */
    maxBytes: pulumi.Input<number>;
    /** Encrypt what is kept of the output, and show none of it. */
    secretOutput?: boolean;
    kubeconfig?: pulumi.Input<string>;
    context?: pulumi.Input<string>;
}

export type FluxSubmissionInputs = Inputs<FluxSubmissionArgs>;

/** Where a job is in its life; `lost` when its cluster doesn't know it any more, `unknown` when nobody could be asked. */
export type JobPhase = "failed" | "lost" | "pending" | "running" | "succeeded" | "unknown";

/** What was seen of a job. */
export interface JobRecord {
    readonly phase: JobPhase;
    /** Of its tasks the highest; undefined while they run, and where they never did. */
    readonly exitCode?: number;
    /** Why it failed. */
    readonly reason?: string;
    readonly output: string;
}

export interface FluxSubmissionOutputs extends FluxSubmissionInputs, JobRecord {
    readonly jobId: string;
    /** UID of the Job of the cluster that has it. */
    readonly clusterUid: string;
    readonly schemaVersion: number;
}

export const INPUT_NAMES: readonly (keyof FluxSubmissionInputs)[] = [
    "cluster",
    "nonce",
    "jobName",
    "command",
    "nodes",
    "tasks",
    "cores",
    "gpus",
    "environment",
    "secretEnvironment",
    "workingDirectory",
    "timeLimit",
    "triggers",
    "wait",
    "rerunFailed",
    "timeouts",
    "maxBytes",
    "secretOutput",
    "resourceUrn",
    "kubeconfig",
    "context",
];

/** A job in the queue of a MiniCluster: submitted once, awaited, cancelled. Its id is `namespace/cluster/job`. */
export class FluxSubmission extends DynamicResource {
    declare readonly jobId: pulumi.Output<string>;
    declare readonly phase: pulumi.Output<string>;
    declare readonly exitCode: pulumi.Output<number | undefined>;
    declare readonly output: pulumi.Output<string>;

    constructor(name: string, args: FluxSubmissionArgs, opts?: pulumi.CustomResourceOptions) {
        const outputs = {
            jobId: undefined,
            clusterUid: undefined,
            phase: undefined,
            exitCode: undefined,
            reason: undefined,
            output: undefined,
            schemaVersion: undefined,
        };
        super(
            "FluxSubmission",
            name,
            { ...args, resourceUrn: urnOf("FluxSubmission", name, opts), ...outputs },
            {
                ...opts,
                additionalSecretOutputs: args.secretOutput ? ["output"] : [],
                // `diff` says so too, but Pulumi doesn't ask it where the user replaces the job by name (--replace, taint).
                deleteBeforeReplace: true,
            },
        );
    }
}
