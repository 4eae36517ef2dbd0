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
    private freeAt = 0;

    /** `look` gives when to look again without a change, in milliseconds since 1970. */
    constructor(private readonly look: () => number | undefined) {}

    /** Something has changed. */
    soon(): void {
        if (Date.now() < this.freeAt) {
            this.setTimer(Math.min(this.at, this.freeAt));
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
        this.freeAt = Date.now() + 9 * (performance.now() - begun);
        this.setTimer(Math.max(again ?? Infinity, this.freeAt));
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
