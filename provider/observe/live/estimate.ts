import { describeSeconds } from "../../contract/quantity";
import type { ProgramProgress } from "./progress";

/** What must have been seen before an estimate: seconds, the part of the work that was done meanwhile, and reports. */
const LEAST = { seconds: 20, part: 0.01, reports: 3 };

interface Seen {
    readonly fraction: number;
    /** Milliseconds. */
    readonly at: number;
}

/** Estimates how long a program needs, by the rate since its first report. */
export class Estimate {
    private first: Seen | undefined;
    private last: Seen | undefined;
    private reports = 0;

    /** Takes a report of the program. A fraction below the last one is that of a new start. */
    add({ fraction }: ProgramProgress, at: number): void {
        if (this.first === undefined || this.last === undefined || fraction < this.last.fraction) {
            this.first = { fraction, at };
            this.reports = 0;
        }
        // An unchanged fraction with another text still tells that time has passed.
        this.last = { fraction, at };
        this.reports++;
    }

    /** The rest in words, such as `about 12 min left`; undefined before an estimate is sensible, and at the end. */
    describe(now: number): string | undefined {
        const { first, last } = this;
        if (first === undefined || last === undefined || last.fraction === 1 || this.reports < LEAST.reports) {
            return undefined;
        }
        const [seconds, part] = [(last.at - first.at) / 1000, last.fraction - first.fraction];
        if (seconds < LEAST.seconds || part < LEAST.part) {
            return undefined;
        }
        const left = ((1 - last.fraction) * seconds) / part - (now - last.at) / 1000;
        // A program that is late by its own rate has another rate now.
        return left <= 0 ? undefined : `about ${describeSeconds(rounded(left))} left`;
    }
}

/** Tens of seconds below 90 s, then minutes, and from 3 h on quarters of an hour. */
function rounded(seconds: number): number {
    const unit = seconds < 90 ? 10 : seconds < 3 * 3600 ? 60 : 900;
    return Math.max(unit, Math.round(seconds / unit) * unit);
}
