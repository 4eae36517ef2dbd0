import type { Ended, Follower, Progress } from "../flux/follow";
import type { JobPhase, Run } from "../flux/job";
import type { PlaceMarks } from "../contract/lead";
import type { Container } from "../kubernetes/streams/exec";
import type { FluxSubmissionOutputs, JobRecord } from "./properties";

/** What the state has of submitted work besides its inputs. The ids may change while an array runs. */
export type Recorded = JobRecord & Partial<Ids>;

export type Ids = Pick<FluxSubmissionOutputs, "jobId" | "jobIds">;

/** Work that has been submitted. */
export interface Begun extends Ids, PlaceMarks {
    /** UID of the Job of the cluster that has it. */
    readonly clusterUid: string;
    readonly record: JobRecord;
    /** Why elements are missing. */
    readonly incomplete?: string;
}

/** The work of a FluxJob in Flux: one job, or an array. `Of` tells how far it is. */
export interface Work<Of extends Progress = Progress> extends Follower<Of> {
    /** The work in a message, as the first words of a sentence. */
    readonly name: string;
    /** Looks without waiting. Undefined if Flux doesn't know the work. */
    peek(lead: Container): Promise<Of | undefined>;
    /** What runs of it; undefined if nothing does. */
    run(lead: Container): Promise<Run | undefined>;
    /**
     * Cancels it and removes it from Flux' history. Returns the number of jobs that are left: one call may be too short
     * for the end of many elements. With `guard`, it fails with this error if the work runs.
     */
    remove(lead: Container, guard?: (run: Run) => Error): Promise<number>;
    recordOf(progress: Of, output: string): Recorded;
    /** The record of work of which Flux has shown nothing: it is lost, or the wait ended before. */
    unseen(begun: JobRecord, isLost: boolean): JobRecord;
    /** Why a wait ended without a success; undefined if the work has succeeded. */
    describeEnd(ended: Ended<Of>, phase: JobPhase): string | undefined;
    /** Why the recorded work has failed. */
    describeRecord(record: JobRecord): string;
}
