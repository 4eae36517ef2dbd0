/** Longest timer of Node in milliseconds: 24.8 days. A longer timer fires at once. */
const LONGEST_TIMER = 2 ** 31 - 1;

/** Milliseconds for a timer, limited to the longest one. */
export function timerLength(milliseconds: number): number {
    return Math.min(Math.max(milliseconds, 0), LONGEST_TIMER);
}

/** Waits so many milliseconds, or until the signal aborts. */
export function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
        const timer = setTimeout(finish, timerLength(milliseconds));
        signal.addEventListener("abort", finish, { once: true });
        if (signal.aborted) {
            finish();
        }
        function finish() {
            clearTimeout(timer);
            signal.removeEventListener("abort", finish);
            resolve();
        }
    });
}

/** Runs `act` with a signal that aborts so many milliseconds after the given one. */
export async function withGrace<T>(
    signal: AbortSignal,
    milliseconds: number,
    act: (late: AbortSignal) => Promise<T>,
): Promise<T> {
    const [late, over] = [new AbortController(), new AbortController()];
    let timer: NodeJS.Timeout | undefined;
    const start = () => (timer = setTimeout(() => late.abort(signal.reason), milliseconds));
    signal.addEventListener("abort", start, { once: true, signal: over.signal });
    if (signal.aborted) {
        start();
    }
    try {
        return await act(late.signal);
    } finally {
        over.abort();
        clearTimeout(timer);
    }
}
