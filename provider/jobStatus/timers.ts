/**
 * The conditions of a Job that have a timeout: since when each is true, in milliseconds since 1970; undefined if it
 * isn't.
 */
export interface Timers {
    /** The Job may run: it isn't suspended, neither by `suspend` nor by a queue. */
    readonly released?: number;
    /** The Job may run, and ranks are missing. */
    readonly missing?: number;
}

/** The timers of a suspended or queued Job: none runs. */
export const HELD: Timers = {};

/** What a look at a Job shows that is neither suspended nor queued. */
export interface Sight {
    /** The ranks have joined, or had joined when the command ended. */
    readonly complete: boolean;
    /**
     * `status.startTime` of the Job: undefined before its first start, outdated until the Job controller has seen a
     * resume.
     */
    readonly startedAt?: number;
    readonly createdAt: number;
    readonly now: number;
    /** When the wait began. */
    readonly begun: number;
}

/**
 * Starts the clock of a condition when it becomes true, and clears it when it becomes false. At the first look, the API
 * server's times tell since when it is true; later, the time of the look does.
 */
export function turn(before: Timers | undefined, sight: Sight): Timers {
    const { begun, complete, createdAt, now, startedAt } = sight;
    if (before === undefined) {
        const released = startedAt ?? createdAt;
        return { released, missing: complete ? undefined : Math.max(released, begun) };
    }
    // A start that is newer than the known one shows that the Job was suspended and resumed between two looks.
    const released = Math.max(before.released ?? now, startedAt ?? 0);
    return { released, missing: complete ? undefined : Math.max(before.missing ?? now, released) };
}
