/** The states of a Job that have a time limit: since when each holds, in milliseconds since 1970; undefined while it doesn't. */
export interface Clocks {
    /** The Job may run: neither `suspend` nor a queue holds it. */
    readonly released?: number;
    /** The Job may run, and ranks are missing. */
    readonly missing?: number;
}

/** Of a Job that is held: no clock runs. */
export const HELD: Clocks = {};

/** What a look at a Job that isn't held shows. */
export interface Sight {
    /** The ranks are in, or were in until the command ended. */
    readonly complete: boolean;
    /** Kubernetes' `status.startTime`; old until the Job controller has seen a resume, and not there before a first one. */
    readonly startedAt?: number;
    readonly createdAt: number;
    readonly now: number;
    /** When the wait began. */
    readonly begun: number;
}

/**
 * Starts the clock of a state when the state is entered and clears it when the state is left. What lies before the first
 * look is taken from the API server's times; later a state is entered when it is seen.
 */
export function turn(before: Clocks | undefined, sight: Sight): Clocks {
    const { begun, complete, createdAt, now, startedAt } = sight;
    if (before === undefined) {
        const released = startedAt ?? createdAt;
        return { released, missing: complete ? undefined : Math.max(released, begun) };
    }
    // A newer start than the known one tells of a hold that was over between two looks.
    const released = Math.max(before.released ?? now, startedAt ?? 0);
    return { released, missing: complete ? undefined : Math.max(before.missing ?? now, released) };
}
