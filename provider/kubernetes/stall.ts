import { pause } from "./pause";

/** The time in which nothing has happened. */
export class Stall {
    private since = performance.now();

    end(): void {
        this.since = performance.now();
    }

    /** Resolves when it has taken so many milliseconds, or when the signal aborts. */
    async lasts(milliseconds: number, signal: AbortSignal): Promise<void> {
        for (let left = milliseconds; left > 0 && !signal.aborted; ) {
            await pause(left, signal);
            left = this.since + milliseconds - performance.now();
        }
    }
}
