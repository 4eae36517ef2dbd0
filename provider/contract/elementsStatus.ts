/** An element of an array that has failed. */
export interface FailedElement {
    /** Its index. */
    readonly index: number;
    /** Its value, if the array has values. */
    readonly value?: string;
    /** Flux' id of its job. */
    readonly jobId: string;
    /** Highest exit code of its tasks. Undefined if no task ran. */
    readonly exitCode?: number;
    /** Why it failed. */
    readonly reason: string;
    /** The last bytes of its log, up to 1 KiB. */
    readonly output: string;
}

/** The elements of an array, counted at the last update or refresh. */
export interface ElementsStatus {
    /** Number of elements. */
    readonly count: number;
    /** Elements that Flux has. */
    readonly submitted: number;
    /** Elements that wait. */
    readonly pending: number;
    /** Elements that run. */
    readonly running: number;
    /** Elements that have succeeded. */
    readonly succeeded: number;
    /** Elements that have failed. */
    readonly failed: number;
    /** The first 10 of the failed elements. */
    readonly failures: FailedElement[];
    /** The indexes of all failed elements, such as `3,7-9`. */
    readonly failedIndexes: string;
    /** The indexes of the elements that have not ended, or were lost before their end. */
    readonly unfinishedIndexes: string;
}
