import { counted } from "../../../provider/contract/words";
import { rangesOf, sizeOf } from "../../../provider/flux/idset";
import type { Amount, JobRun, Report } from "../model";
import { coresByRank } from "../usage";
import type { TimeAxis } from "./axis";
import { fill, type Figure, hint, type Key } from "./figure";
import { rect } from "./plotNode";
import { rowAxes, rowsFrame } from "./rows";
import { MARGIN } from "./view";
import { percent } from "./words";

const COLUMNS = 160;
const ROWS = 50;
const LEVELS = 5;

const KEYS: readonly Key[] = Array.from({ length: LEVELS }, (_, level) => ({
    colour: `heat-${level + 1}`,
    meaning: `${level === 0 ? "up to" : `${Math.round((level / LEVELS) * 100)} to`} ${Math.round(((level + 1) / LEVELS) * 100)} %`,
}));

interface Cell {
    readonly row: number;
    readonly from: number;
    to: number;
    readonly share: number;
    readonly level: number;
}

/** How busy groups of ranks were: for more ranks or jobs than a picture can show one by one. */
export function heat(report: Report, jobs: readonly JobRun[], ranks: number, axis: TimeAxis): Figure {
    const perRow = Math.max(1, Math.ceil(ranks / ROWS));
    const rows = Math.ceil(ranks / perRow);
    const grid = new Grid(rows, perRow, axis, capacities(report.resources, ranks, perRow));
    jobs.forEach((job) => grid.add(job));
    const cells = grid.cells();
    const rowName = (row: number) =>
        perRow === 1 ? String(row) : `${row * perRow}–${Math.min(ranks, (row + 1) * perRow) - 1}`;
    const shown = Array.from({ length: rows }, (_, row) => row).filter((row) => row % Math.ceil(rows / 25) === 0);
    const height = Math.max(160, rows * Math.min(24, Math.max(9, 420 / rows)));
    const each = perRow === 1 ? "a rank" : `${counted(perRow, "rank")}`;
    return {
        id: "gantt",
        title: "Ranks and jobs over time",
        summary: `Each row is ${each}. The colour is the share of its cores that ${counted(jobs.length, "job")} had.`,
        keys: KEYS,
        options: {
            ...rowsFrame(height, MARGIN),
            x: { domain: [0, axis.at(axis.end)], label: axis.label },
            y: { domain: [0, rows], reverse: true },
            marks: [
                ...KEYS.map((key, level) =>
                    rect(
                        cells.filter((cell) => cell.level === level),
                        {
                            x1: ({ from }) => axis.at(grid.timeOf(from)),
                            x2: ({ to }) => axis.at(grid.timeOf(to)),
                            y1: "row",
                            y2: ({ row }) => row + 1,
                            fill: fill(key),
                            title: ({ row, share }) => hint(`rank ${rowName(row)}`, `${percent(share)} busy`),
                        },
                    ),
                ),
                ...rowAxes(shown, "rank", rowName),
            ],
        },
    };
}

/** The number of cores of each row. A rank whose cores aren't known counts as one core. */
function capacities(resources: readonly Amount[], ranks: number, perRow: number): number[] {
    const coresOf = coresByRank(resources);
    const sums = new Array<number>(Math.ceil(ranks / perRow)).fill(0);
    for (let rank = 0; rank < ranks; rank++) {
        sums[Math.floor(rank / perRow)] += coresOf.get(rank) ?? 1;
    }
    return sums;
}

/** Core time of jobs, by rows of ranks and columns of time. */
class Grid {
    private readonly sums: Float64Array;
    private readonly width: number;

    constructor(
        private readonly rows: number,
        private readonly perRow: number,
        private readonly axis: TimeAxis,
        private readonly capacity: readonly number[],
    ) {
        this.sums = new Float64Array(rows * COLUMNS);
        this.width = (axis.end - axis.begin) / COLUMNS;
    }

    timeOf(column: number): number {
        return this.axis.begin + column * this.width;
    }

    add({ allocatedAt, finishedAt, resources }: JobRun): void {
        const from = ((allocatedAt ?? this.axis.end) - this.axis.begin) / this.width;
        const to = Math.min(COLUMNS, ((finishedAt ?? this.axis.end) - this.axis.begin) / this.width);
        for (const { cores, ranks } of resources) {
            const perRank = Math.max(1, sizeOf(cores));
            rangesOf(ranks).forEach((range) => this.addRange(range, perRank, from, to));
        }
    }

    private addRange([first, last]: readonly [number, number], perRank: number, from: number, to: number): void {
        for (let row = Math.floor(first / this.perRow); row <= Math.min(this.rows - 1, last / this.perRow); row++) {
            const ranks = Math.min(last, (row + 1) * this.perRow - 1) - Math.max(first, row * this.perRow) + 1;
            for (let column = Math.max(0, Math.floor(from)); column < to; column++) {
                const share = Math.min(to, column + 1) - Math.max(from, column);
                this.sums[row * COLUMNS + column] += share * ranks * perRank;
            }
        }
    }

    /** The cells that were busy. Neighbours of the same level are one cell. */
    cells(): Cell[] {
        const cells: Cell[] = [];
        for (let row = 0; row < this.rows; row++) {
            for (let column = 0; column < COLUMNS; column++) {
                const share = Math.min(1, this.sums[row * COLUMNS + column] / this.capacity[row]);
                const level = Math.min(LEVELS - 1, Math.ceil(share * LEVELS) - 1);
                const before = cells.at(-1);
                if (level >= 0 && before?.row === row && before.to === column && before.level === level) {
                    before.to = column + 1;
                } else if (level >= 0) {
                    cells.push({ row, from: column, to: column + 1, share, level });
                }
            }
        }
        return cells;
    }
}
