/** A number of lines that may be printed at once, and how many more each second. */
export interface Allowance {
    readonly burst: number;
    readonly perSecond: number;
}

/** What an update prints of an output. The Pulumi CLI keeps each message in its memory until the update's end. */
const ALLOWANCES: readonly Allowance[] = [
    { burst: 500, perSecond: 50 },
    { burst: 20_000, perSecond: 1 },
];

/** Milliseconds without a line after the last one that was allowed, so that lines come in pieces that belong together. */
export const PAUSE = 5000;

/** Decides which lines are printed, so that no output fills the terminal, or the memory of the Pulumi CLI. */
export class Budget {
    private readonly left: number[];
    private at: number;
    private closedUntil = -Infinity;

    /** Times are milliseconds of a monotonic clock. */
    constructor(
        now: number,
        private readonly allowances = ALLOWANCES,
    ) {
        this.at = now;
        this.left = allowances.map(({ burst }) => burst);
    }

    /** True if a line may be printed now; then it is counted. */
    allows(now: number): boolean {
        const seconds = (now - this.at) / 1000;
        this.at = now;
        this.allowances.forEach(({ burst, perSecond }, index) => {
            this.left[index] = Math.min(burst, this.left[index] + seconds * perSecond);
        });
        if (now < this.closedUntil) {
            return false;
        }
        if (this.left.some((lines) => lines < 1)) {
            this.closedUntil = now + PAUSE;
            return false;
        }
        this.left.forEach((_, index) => this.left[index]--);
        return true;
    }
}
