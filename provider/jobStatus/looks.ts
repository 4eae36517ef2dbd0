/** A timer can't be longer than 2^31 ms; looking again earlier does no harm. */
const LONGEST = 2 ** 30;

/**
 * Looks at what has changed: at once, but where looks take long, because there are thousands of pods, changes are
 * gathered so that a tenth of the time goes into looks at most.
 */
export class Looks {
    private timer: NodeJS.Timeout | undefined;
    /** When the timer is set for. */
    private at = Infinity;
    /** By the clock that nobody sets. */
    private freeAt = 0;

    /** `look` gives when to look again without a change, in milliseconds since 1970. */
    constructor(private readonly look: () => number | undefined) {}

    /** Something has changed. */
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
