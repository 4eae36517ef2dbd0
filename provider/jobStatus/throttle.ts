/** Longest timer in milliseconds. Node's limit is 2^31 - 1; an earlier look does no harm. */
const LONGEST = 2 ** 30;

/**
 * Runs a look after each change: at once, unless looks take long because there are thousands of pods. Then changes are
 * collected, so that looks take at most a tenth of the time.
 */
export class Throttle {
    private timer: NodeJS.Timeout | undefined;
    /** When the timer fires, in milliseconds since 1970. */
    private at = Infinity;
    /** When the next look may start, by the monotonic clock. */
    private freeAt = 0;

    /** `look` returns when to look again even without a change, in milliseconds since 1970. */
    constructor(private readonly look: () => number | undefined) {}

    /** Is called after each change. */
    soon(): void {
        const rest = this.freeAt - performance.now();
        if (rest > 0) {
            this.setTimer(Math.min(this.at, Date.now() + rest));
        } else {
            this.now();
        }
    }

    end(): void {
        clearTimeout(this.timer);
    }

    private now(): void {
        this.setTimer(Infinity);
        const begun = performance.now();
        const again = this.look();
        const took = performance.now() - begun;
        this.freeAt = performance.now() + 9 * took;
        this.setTimer(Math.max(again ?? Infinity, Date.now() + 9 * took));
    }

    private setTimer(at: number): void {
        if (at === this.at) {
            return;
        }
        clearTimeout(this.timer);
        this.at = at;
        if (at !== Infinity) {
            this.timer = setTimeout(() => this.now(), Math.min(Math.max(at - Date.now(), 0), LONGEST));
        }
    }
}
