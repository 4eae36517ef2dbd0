import { type ElementsStatus, type FailedElement } from "../contract/elementsStatus";
import { MOST_FAILURES } from "./elements";
import { formatIdset, parseIdset } from "./idset";

/**
 * How the elements of an array have ended as far as the record says. All others have succeeded. The record counts for
 * elements that Flux has forgotten or lost.
 */
export interface Standing {
    readonly failed: ReadonlySet<number>;
    /** Elements without a known end. */
    readonly unfinished: ReadonlySet<number>;
    readonly failures: readonly FailedElement[];
}

/** No element has ended. */
export function allUnfinished(count: number): Standing {
    return { failed: new Set(), unfinished: new Set(Array.from({ length: count }, (_, index) => index)), failures: [] };
}

/** The standing of a record. */
export function standingOf({ failedIndexes, failures, unfinishedIndexes }: ElementsStatus): Standing {
    return { failed: parseIdset(failedIndexes), unfinished: parseIdset(unfinishedIndexes), failures };
}

/** The standing after elements were submitted again. */
export function withAgain({ failed, failures, unfinished }: Standing, again: ReadonlySet<number>): Standing {
    return {
        failed: new Set([...failed].filter((index) => !again.has(index))),
        unfinished: new Set([...unfinished, ...again]),
        failures: failures.filter(({ index }) => !again.has(index)),
    };
}

/** What Flux tells of the elements that it has. */
export interface Told {
    readonly failed: ReadonlySet<number>;
    readonly unfinished: ReadonlySet<number>;
    /** Elements that Flux doesn't have. */
    readonly missing: ReadonlySet<number>;
    readonly failures: readonly FailedElement[];
}

/** The standing by Flux, and by the record for elements that Flux doesn't have. */
export function merge(known: Standing, told: Told): Standing {
    const missing = (indexes: ReadonlySet<number>) => [...indexes].filter((index) => told.missing.has(index));
    const kept = known.failures.filter(({ index }) => told.missing.has(index));
    const failures = [...told.failures, ...kept].sort((a, b) => a.index - b.index);
    return {
        failed: new Set([...told.failed, ...missing(known.failed)]),
        unfinished: new Set([...told.unfinished, ...missing(known.unfinished)]),
        failures: failures.slice(0, MOST_FAILURES),
    };
}

/** The record of a standing, with the numbers of elements that Flux has. */
export function statusOf(
    { failed, failures, unfinished }: Standing,
    live: Pick<ElementsStatus, "count" | "pending" | "running" | "submitted">,
): ElementsStatus {
    return {
        ...live,
        succeeded: live.count - failed.size - unfinished.size,
        failed: failed.size,
        failures: [...failures],
        failedIndexes: formatIdset(failed),
        unfinishedIndexes: formatIdset(unfinished),
    };
}

/** Number of elements without a known end that Flux doesn't have. */
export function lostOf({ count, failed, pending, running, succeeded }: ElementsStatus): number {
    return count - succeeded - failed - pending - running;
}
