/** The outputs of a MiniCluster that a report uses. A secret one is the text `[secret]`. */
export interface RecordedOutputs {
    readonly uid?: string;
    readonly phase?: string;
    readonly exitCode?: number | null;
    readonly timings?: Readonly<Record<string, number>>;
    readonly slowestRank?: string;
    readonly nodes?: Readonly<Record<string, string>>;
}
