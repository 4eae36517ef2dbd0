import { instant } from "./words";

/** The time axis of a chart, in a unit that suits its length. */
export interface TimeAxis {
    readonly begin: number;
    readonly end: number;
    readonly label: string;
    /** Converts milliseconds since 1970 into units since the beginning. */
    at(time: number): number;
}

const UNITS = [
    { name: "days", milliseconds: 86_400_000 },
    { name: "hours", milliseconds: 3_600_000 },
    { name: "minutes", milliseconds: 60_000 },
    { name: "seconds", milliseconds: 1000 },
];
/** Smallest number of units on an axis. */
const LEAST = 3;

/** An axis from one time to another, which is at least a second later. */
export function timeAxis(begin: number, until: number, since = instant(begin)): TimeAxis {
    const end = Math.max(until, begin + 1000);
    const unit = UNITS.find(({ milliseconds }) => (end - begin) / milliseconds >= LEAST) ?? UNITS[UNITS.length - 1];
    return {
        begin,
        end,
        label: `${unit.name} since ${since}`,
        at: (time) => (Math.min(Math.max(time, begin), end) - begin) / unit.milliseconds,
    };
}
