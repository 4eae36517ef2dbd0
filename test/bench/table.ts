/** All runs of one subject. */
export interface Series {
    readonly name: string;
    readonly runs: { readonly [phase: string]: number | undefined }[];
}

interface Summary {
    readonly min: number;
    readonly median: number;
    readonly p90: number;
    readonly max: number;
}

/** Minimum, median, 90th percentile and maximum of each phase, and the ratio of its median to the first series', the reference. */
export function renderTable(series: readonly Series[], phases: readonly string[]): string {
    const [yardstick] = series;
    if (yardstick === undefined) {
        return "";
    }
    const rows = series.flatMap(({ name, runs }) =>
        phases.flatMap((phase) => {
            const own = summarize(runs.map((run) => run[phase]));
            const other = summarize(yardstick.runs.map((run) => run[phase]));
            return own === undefined ? [] : [[name, phase, ...cells(own), ratio(own, other)]];
        }),
    );
    const table = [["", "phase", "min s", "median s", "p90 s", "max s", "ratio"], ...rows];
    const widths = table[0].map((_, column) => Math.max(...table.map((row) => row[column].length)));
    return table
        .map((row) =>
            row
                .map((cell, column) => cell.padEnd(widths[column]))
                .join("  ")
                .trimEnd(),
        )
        .join("\n");
}

/** The minimum, the median, the 90th percentile and the maximum of the known values. */
export function summarize(values: readonly (number | undefined)[]): Summary | undefined {
    const known = values.filter((value) => value !== undefined).sort((a, b) => a - b);
    if (known.length === 0) {
        return undefined;
    }
    // The smallest value that is not below this part of all values.
    const rank = (part: number) => known[Math.ceil(part * known.length) - 1];
    return { min: known[0], median: rank(0.5), p90: rank(0.9), max: known[known.length - 1] };
}

function cells({ max, median, min, p90 }: Summary): string[] {
    return [min, median, p90, max].map((value) => value.toFixed(2));
}

function ratio(own: Summary, other: Summary | undefined): string {
    return other === undefined || other.median === 0 ? "" : (own.median / other.median).toFixed(2);
}
