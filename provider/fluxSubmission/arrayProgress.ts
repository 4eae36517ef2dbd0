import type { ElementsStatus, FailedElement } from "../contract/array";
import type { Json } from "../contract/object";
import { exitCodeOf, reasonOf } from "./eventlog";
import type { FluxSubmissionInputs, JobPhase } from "./properties";
import { countOf, numberOf } from "./elements";

/** How far an array is. */
export interface ArrayProgress {
    readonly phase: JobPhase;
    /** Highest exit code of the elements that have ended. */
    readonly exitCode?: number;
    /** Why it failed. */
    readonly reason?: string;
    readonly elements: ElementsStatus;
    readonly jobId?: string;
    readonly jobIds: readonly string[];
    /** All elements that Flux has are finished. */
    readonly over: boolean;
}

/** Reads the answer of array.py to `watch`. Undefined if Flux has no element. */
export function readProgress(inputs: FluxSubmissionInputs, answer: Json): ArrayProgress | undefined {
    const { failed, found, pending, running, succeeded } = answer as Record<string, number>;
    if (found === 0) {
        return undefined;
    }
    const count = countOf(inputs);
    const failures = (answer.failures as Json[]).map((failure) => readFailure(inputs, failure));
    const elements = { count, submitted: found, pending, running, succeeded, failed, failures };
    const codes = (answer.statuses as number[]).map(exitCodeOf);
    return {
        phase: phaseOf(elements),
        exitCode: codes.length > 0 ? Math.max(...codes) : undefined,
        reason: failed > 0 ? `${numberOf(failed)} of ${numberOf(count)} elements failed` : undefined,
        elements,
        jobId: (answer.jobId as string | null) ?? undefined,
        jobIds: count === (answer.jobIds as string[]).length ? (answer.jobIds as string[]) : [],
        over: pending + running === 0,
    };
}

function readFailure(inputs: FluxSubmissionInputs, { exception, index, jobId, status }: Json): FailedElement {
    const exitCode = status === null ? undefined : exitCodeOf(status as number);
    return {
        index: index as number,
        value: inputs.array?.values?.[index as number],
        jobId: jobId as string,
        exitCode,
        reason: reasonOf(exitCode, exception ?? undefined) ?? "unknown",
        output: "",
    };
}

function phaseOf({ count, failed, pending, running, submitted, succeeded }: ElementsStatus): JobPhase {
    if (pending + running === 0) {
        return submitted < count ? "lost" : failed > 0 ? "failed" : "succeeded";
    }
    return running + succeeded + failed > 0 ? "running" : "pending";
}

/** The progress line: `137 of 1,000 done, 2 failed`. */
export function describeProgress({ count, failed, succeeded }: ElementsStatus): string {
    const done = `${numberOf(succeeded + failed)} of ${numberOf(count)} done`;
    return failed > 0 ? `${done}, ${numberOf(failed)} failed` : done;
}
