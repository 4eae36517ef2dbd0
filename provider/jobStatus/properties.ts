import type * as pulumi from "@pulumi/pulumi";

import type { RunRecord } from "../contract/record/runRecord";
import type { KeptResults, WantedResults } from "../contract/results";
import type { SizedBy } from "../contract/sizedBy";
import type { TimeoutsSpec } from "../contract/timeoutsSpec";
import type { AccessArgs, Inputs, OnlyOutputs } from "../host/inputs";
import type { LeadService } from "../contract/lead";

/** Arguments of a JobStatus. */
export interface JobStatusArgs extends AccessArgs {
    /** Id of the IndexedJob. */
    job: pulumi.Input<string>;
    /** Tells the Job's cluster from others. */
    lead: pulumi.Input<{ [K in keyof LeadService]: pulumi.Input<string> }>;
    /** Number of ranks that must join. */
    size: pulumi.Input<number>;
    /** Number of ranks with which the lead takes work, if it is below `size`. */
    quorum?: pulumi.Input<number | undefined>;
    /** Number of ranks that the command asks for, if it asks for a number. It waits until so many have joined. */
    commandNodes?: pulumi.Input<number | undefined>;
    /** `ready`, `completed` or `none`. */
    waitFor: pulumi.Input<string>;
    /** The cluster runs a command and ends with it. */
    ephemeral: pulumi.Input<boolean>;
    /** The Job is suspended by its arguments. */
    suspend: pulumi.Input<boolean>;
    /** Seconds after its end in which Kubernetes removes the Job. States of earlier releases have `true`. */
    expires?: pulumi.Input<number | true | undefined>;
    /** Given if something else than the arguments decides the number of ranks. Then `size` is only the first number. */
    sizedBy?: SizedBy;
    /** Since when a cluster slept that sizes itself, and that the IndexedJob has woken. When it changes, another wait begins. */
    wake?: pulumi.Input<string | undefined>;
    /** Seconds. */
    timeouts: pulumi.Input<TimeoutsSpec>;
    /** Bytes of rank 0's log that are kept, counted from its end. */
    maxBytes: pulumi.Input<number>;
    /** Encrypt the log in the state, and show none of it in errors. */
    secretOutput?: boolean;
    /** Print all lines of the lead's output while the wait lasts. */
    streamOutput?: boolean;
    /** If the command starts again, it waits until all ranks have joined. */
    needsAllRanks?: pulumi.Input<boolean | undefined>;
    /** Each rank counts all cores that it may use, also if it shares a node with others. */
    countsNode?: pulumi.Input<boolean | undefined>;
    /** Where results of the command are kept. */
    keeps?: pulumi.Input<WantedResults | undefined>;
}

export type JobStatusInputs = Inputs<JobStatusArgs>;

/** Phase of a cluster. */
export type Phase =
    | "asleep"
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
    /** Exit code of rank 0. Null if it has not ended: a preview takes an output without a value as unknown. */
    readonly exitCode: number | null;
    /** End of rank 0's log. */
    readonly output: string;
    /** Rank to node. */
    readonly nodes: Record<string, string>;
    /** Seconds since the Job's creation, by phase. */
    readonly timings: Record<string, number>;
    /** The slowest rank to join, and the step that took longest. */
    readonly slowest: string;
    /** How far the command said it was, such as `40 %, step 400 of 1,000`; empty if it said nothing. */
    readonly progress: string;
    /** The results of the command; null before its end. Only with `keeps`. */
    readonly results?: KeptResults | null;
    /** What ran and how it went; null before the command's end, and for a persistent cluster. Earlier releases have none. */
    readonly record?: RunRecord | null;
    /** When the Job was created. Without it, the Job wasn't seen, or an earlier release has recorded it. */
    readonly createdAt?: string;
}

export interface JobStatusOutputs extends JobStatusInputs, Recorded {
    readonly schemaVersion: number;
}

export const OUTPUTS: OnlyOutputs<JobStatusOutputs, JobStatusInputs> = {
    phase: undefined,
    exitCode: undefined,
    output: undefined,
    nodes: undefined,
    timings: undefined,
    slowest: undefined,
    progress: undefined,
    results: undefined,
    record: undefined,
    createdAt: undefined,
    schemaVersion: undefined,
};
