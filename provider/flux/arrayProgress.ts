import type { ElementsStatus, FailedElement } from "../contract/elementsStatus";
import type { Json } from "../contract/object";
import { exitCodeOf, reasonOf } from "./eventlog";
import type { JobPhase, JobRequest } from "./job";
import { countOf, numberOf } from "./elements";
import { parseIdset } from "./idset";
import { allUnfinished, lostOf, merge, type Standing, standingOf, statusOf } from "./standing";

type Sized = Pick<JobRequest, "array">;

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

/**
 * Reads the answer of array.py to `watch`. Undefined if Flux has no element. `known` counts for elements that Flux doesn't
 * have.
 */
export function readProgress(
    request: Sized,
    answer: Json,
    known: Standing = allUnfinished(countOf(request)),
): ArrayProgress | undefined {
    const { found, pending, running } = answer as Record<string, number>;
    if (found === 0) {
        return undefined;
    }
    const count = countOf(request);
    const failures = (answer.failures as Json[]).map((failure) => readFailure(request, failure));
    const [failed, missing, unfinished] = [answer.failedIndexes, answer.missingIndexes, answer.unfinishedIndexes].map(
        (text) => parseIdset(text as string),
    );
    const standing = merge(known, { failed, failures, missing, unfinished });
    const elements = statusOf(standing, { count, submitted: found, pending, running });
    return {
        ...summaryOf(elements, (answer.statuses as number[]).map(exitCodeOf)),
        jobId: (answer.jobId as string | null) ?? undefined,
        jobIds: count === (answer.jobIds as string[]).length ? (answer.jobIds as string[]) : [],
    };
}

/** The progress of an array of which Flux has no element any more; undefined if no element is known to have ended. */
export function lostProgress(elements: ElementsStatus): ArrayProgress | undefined {
    const standing = standingOf(elements);
    if (standing.unfinished.size === elements.count) {
        return undefined;
    }
    const left = statusOf(standing, { count: elements.count, submitted: 0, pending: 0, running: 0 });
    return { ...summaryOf(left, []), jobIds: [] };
}

function summaryOf(elements: ElementsStatus, codes: readonly number[]) {
    const { count, failed, failures, pending, running } = elements;
    const all = [...codes, ...failures.flatMap(({ exitCode }) => exitCode ?? [])];
    return {
        phase: phaseOf(elements),
        exitCode: all.length > 0 ? Math.max(...all) : undefined,
        reason: failed > 0 ? `${numberOf(failed)} of ${numberOf(count)} elements failed` : undefined,
        elements,
        over: pending + running === 0,
    };
}

function readFailure(request: Sized, { exception, index, jobId, status }: Json): FailedElement {
    const exitCode = status === null ? undefined : exitCodeOf(status as number);
    return {
        index: index as number,
        value: request.array?.values?.[index as number],
        jobId: jobId as string,
        exitCode,
        reason: reasonOf(exitCode, exception ?? undefined) ?? "unknown",
        output: "",
    };
}

function phaseOf(elements: ElementsStatus): JobPhase {
    const { failed, pending, running, succeeded } = elements;
    if (pending + running === 0) {
        return lostOf(elements) > 0 ? "lost" : failed > 0 ? "failed" : "succeeded";
    }
    return running + succeeded + failed > 0 ? "running" : "pending";
}

/** The progress line: `137 of 1,000 done, 2 failed`. */
export function describeProgress({ count, failed, succeeded }: ElementsStatus): string {
    const done = `${numberOf(succeeded + failed)} of ${numberOf(count)} done`;
    return failed > 0 ? `${done}, ${numberOf(failed)} failed` : done;
}
