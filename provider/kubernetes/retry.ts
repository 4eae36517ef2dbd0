import { isTransient, retryAfter } from "./failures/failure";

/** Tries of a call that may be repeated. */
export const TRIES = 7;
/** First wait between tries, in milliseconds; each later wait is twice as long. */
const FIRST_WAIT = 100;
/** Longest wait that a server can ask for, in milliseconds. */
const LONGEST_WAIT = 30_000;

/** Milliseconds before the next try: the server's own wish if it has one, in its header Retry-After. */
export function waitAfter(error: unknown, tries: number): number {
    return pauseAfter(error, FIRST_WAIT * 2 ** (tries - 1));
}

/** The same for a loop that has a pause of its own. */
export function pauseAfter(error: unknown, own: number): number {
    return Math.max(own, Math.min(retryAfter(error) ?? 0, LONGEST_WAIT));
}

/** Repeats a call after a temporary error; for calls that may be repeated. */
export async function retry<T>(call: () => Promise<T>, most = TRIES): Promise<T> {
    for (let tries = 1; ; tries++) {
        try {
            return await call();
        } catch (error) {
            if (tries >= most || !isTransient(error)) {
                throw error;
            }
            await new Promise((resolve) => setTimeout(resolve, waitAfter(error, tries)));
        }
    }
}
