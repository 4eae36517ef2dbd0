import { isUnreadable } from "../flux/queue";
import { betterOf } from "../results/outcome";
import { type JobStatusInputs, type JobStatusOutputs, OUTPUTS, type Phase, type Recorded } from "./properties";

/** Phases that never change again, whatever a later wait can see. */
const FINAL: readonly Phase[] = ["expired", "failed", "succeeded"];

/** The outputs without the inputs, so that an input that was removed from the program doesn't stay. */
export function recordedIn(olds: JobStatusOutputs): Omit<JobStatusOutputs, keyof JobStatusInputs> {
    const entries = Object.entries(olds).filter(([name]) => Object.hasOwn(OUTPUTS, name));
    return Object.fromEntries(entries) as Omit<JobStatusOutputs, keyof JobStatusInputs>;
}

/** True if the end of this Job is recorded, or that its TTL has removed it. */
export function hasEnd({ job }: JobStatusInputs, before: JobStatusOutputs | undefined): before is JobStatusOutputs {
    return before?.job === job && FINAL.includes(before.phase);
}

/** The record of a wait that could not see the Job: that of an earlier wait for the same Job, or else an empty one. */
export function recordUnseen(inputs: JobStatusInputs, before: JobStatusOutputs | undefined): Recorded {
    if (before?.job !== inputs.job) {
        const nothing = { exitCode: null, output: "", nodes: {}, timings: {}, slowest: "", progress: "", record: null };
        return { phase: "unknown", ...nothing };
    }
    return { ...recordedIn(before), phase: hasEnd(inputs, before) ? before.phase : "unknown" };
}

/**
 * The record of another wait for a Job whose end is recorded already. Its pods may have been removed since, so values
 * that can't be read any more stay.
 */
export function withEarlierEnd(
    seen: Recorded,
    inputs: JobStatusInputs,
    before: JobStatusOutputs | undefined,
): Recorded {
    if (!hasEnd(inputs, before) || before.phase !== seen.phase) {
        return seen;
    }
    return {
        ...seen,
        exitCode: seen.exitCode ?? before.exitCode,
        output: inputs.maxBytes === 0 ? "" : keptOutput(seen, before),
        nodes: { ...before.nodes, ...seen.nodes },
        timings: { ...before.timings, ...seen.timings },
        slowest: seen.slowest || before.slowest,
        progress: seen.progress || (before.progress ?? ""),
        record: firstRecord(seen, before),
    };
}

/** That of the earlier wait, if nothing can be read any more. */
function keptOutput(seen: Recorded, before: JobStatusOutputs): string {
    return isUnreadable(seen.output) ? before.output || seen.output : seen.output || before.output;
}

/** The first record of an end has seen the most. A later one only has what could not be read then. */
export function firstRecord({ record }: Recorded, before: Pick<Recorded, "record">): Recorded["record"] {
    return record && before.record ? { ...record, ...before.record } : (before.record ?? record);
}

/** What an update has fetched stays where it is. Only its own wait knows that. */
export function keptResults({ results }: Recorded, before: Pick<Recorded, "results"> | undefined): Recorded["results"] {
    return betterOf(before?.results, results) ?? before?.results;
}
