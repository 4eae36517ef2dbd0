import type * as pulumi from "@pulumi/pulumi";

import type { ElementsStatus } from "../contract/elementsStatus";
import type { RunRecord } from "../contract/record/runRecord";
import type { KeptResults } from "../contract/results";
import type { ClusterName, JobPhase, JobRequest } from "../flux/job";
import type { PlaceMarks } from "../contract/lead";
import type { AccessArgs, Inputs, OnlyOutputs } from "../host/inputs";

/** Seconds. */
export interface SubmissionTimeouts {
    readonly ready: number;
    readonly completed?: number;
}

type RequestArgs = { [Name in keyof JobRequest]: pulumi.Input<JobRequest[Name]> };

/** Arguments of a FluxSubmission: those of a FluxJob, with its defaults. */
export interface FluxSubmissionArgs extends AccessArgs, RequestArgs {
    cluster: pulumi.Input<ClusterName>;
    /** Wait for the job's end. */
    wait: pulumi.Input<boolean>;
    /** Submit a failed job again on the next update. */
    rerunFailed: pulumi.Input<boolean>;
    /** What an update does if it would cancel the job while it runs. */
    interrupt: pulumi.Input<"allow" | "refuse">;
    timeouts: pulumi.Input<SubmissionTimeouts>;
    /** Bytes of the job's output that are kept, counted from its end. */
    maxBytes: pulumi.Input<number>;
    /** Encrypt the output in the state, and show none of it in errors. */
    secretOutput?: boolean;
    /** Print all lines of the output while an update waits. */
    streamOutput?: boolean;
}

export type FluxSubmissionInputs = Inputs<FluxSubmissionArgs>;

/** What the state records of a job, or of an array. */
export interface JobRecord {
    readonly phase: JobPhase;
    /** Highest exit code of its tasks. Null while they run, and if they never ran. */
    readonly exitCode?: number | null;
    /** Why it failed. */
    readonly reason?: string;
    readonly output: string;
    /** How far its program has said it is, such as `40 %, step 400 of 1,000`. */
    readonly progress?: string;
    /** Only of an array. */
    readonly elements?: ElementsStatus;
    /** What is kept of what it has left behind; null before. Only with `keeps`. */
    readonly results?: KeptResults | null;
    /** What ran and how it went; null before its end. An array has none. */
    readonly record?: RunRecord | null;
}

export interface FluxSubmissionOutputs extends FluxSubmissionInputs, JobRecord, PlaceMarks {
    /** The id of the job, or of the first element of an array. */
    readonly jobId: string;
    /** The ids of the elements of a small array. Empty for a larger one. */
    readonly jobIds?: readonly string[];
    /** UID of the Job of the cluster that has it. */
    readonly clusterUid: string;
    readonly schemaVersion: number;
}

export const OUTPUTS: OnlyOutputs<FluxSubmissionOutputs, FluxSubmissionInputs> = {
    jobId: undefined,
    jobIds: undefined,
    clusterUid: undefined,
    lead: undefined,
    clusterMark: undefined,
    phase: undefined,
    exitCode: undefined,
    reason: undefined,
    output: undefined,
    progress: undefined,
    elements: undefined,
    results: undefined,
    record: undefined,
    schemaVersion: undefined,
};
