import { pause } from "./pause";
import { pauseAfter } from "./retry";

/** How an attempt is repeated after errors that may pass. */
export interface Persistence {
    /** Milliseconds of tries without an answer, after which an error ends them. */
    readonly patience: number;
    /** Milliseconds between two tries, unless the server asks for more. */
    readonly pause: number;
    readonly signal?: AbortSignal;
    /** True for an error after which another try may succeed. */
    readonly isPassing: (error: unknown) => boolean;
    /** Is told of such an error. */
    readonly tell: (error: unknown) => unknown;
}

/** What an attempt knows of the tries. */
export interface Tries {
    /** Notes an answer: the tries have their whole time again after the next error. */
    answered(): void;
    /** Seconds that are left for them. */
    left(): number;
}

/** Repeats an attempt until it returns a value, or fails for good. */
export async function persist<T>(
    attempt: (tries: Tries) => Promise<T | undefined>,
    { isPassing, patience, pause: milliseconds, signal = new AbortController().signal, tell }: Persistence,
): Promise<T> {
    let lostAt: number | undefined = Date.now();
    const left = () => (lostAt ?? Date.now()) + patience - Date.now();
    const tries = { answered: () => (lostAt = undefined), left: () => left() / 1000 };
    for (;;) {
        let wait = milliseconds;
        try {
            const found = await attempt(tries);
            if (found !== undefined) {
                return found;
            }
        } catch (error) {
            lostAt ??= Date.now();
            if (!isPassing(error) || left() <= 0) {
                throw error;
            }
            await tell(error);
            wait = pauseAfter(error, milliseconds);
        }
        await pause(wait, signal);
    }
}
