/** The ranks whose files `results` keeps. */
export const ResultRanks = {
    /** The lead. */
    Lead: "lead",
    /** All ranks, each in a folder of its own. */
    All: "all",
} as const;

export type ResultRanks = (typeof ResultRanks)[keyof typeof ResultRanks];

export declare namespace ResultRanks {
    export type Lead = "lead";
    export type All = "all";
}
