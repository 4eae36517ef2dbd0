import { describeSeconds } from "../contract/quantity";
import type { ResultsMark } from "../contract/results";
import { counted, sizeInWords } from "../contract/words";
import type { Watcher } from "../copy/receive";
import { sentence } from "../kubernetes/failures/failure";
import { pause } from "../kubernetes/pause";
import type { Listed } from "./list";

/** Tries of a fetch whose connection breaks, and milliseconds before the second one; each pause is twice as long. */
const TRIES = 5;
const PAUSE = 1000;

/** What has become of results that wait for a client. */
export interface Kept {
    readonly mark: ResultsMark;
    /** The files that are in the folder now. */
    readonly files?: readonly Listed[];
    /** Why the update leaves them to the user, who can fetch them. */
    readonly left?: string;
}

/** What a fetch needs of the wait. */
export interface Keeper {
    /** Bytes that an update fetches. */
    readonly limit: number;
    readonly signal: AbortSignal;
    /** How a user fetches what is left. */
    readonly cure: string;
    /** Fetches the files once. */
    get(watch: Watcher): Promise<readonly Listed[]>;
    /** True if another try can't succeed. */
    isGone(): boolean;
    /** Shows the progress line. */
    show(line: string): void;
    say(line: string): void;
    /** Prints a line that stays. */
    warn(line: string): void;
}

/** Fetches results up to the limit. Undefined if they are gone. Fails only if it is cancelled. */
export async function keep(mark: ResultsMark, keeper: Keeper): Promise<Kept | undefined> {
    const { isGone, limit, show, signal, warn } = keeper;
    const what = `${counted(mark.count, "file")} of ${sizeInWords(mark.bytes)}`;
    if (mark.bytes > limit) {
        return leave(mark, `they are ${what}, above results.limit`, keeper);
    }
    show(`keeping results: ${what}`);
    const get = () => {
        let moved = 0;
        const tell = (bytes: number) => {
            moved += bytes;
            show(`keeping results: ${sizeInWords(Math.min(moved, mark.bytes))} of ${sizeInWords(mark.bytes)}`);
        };
        return keeper.get({ moved: tell, starts: () => {} });
    };
    try {
        return { mark, files: await repeat(get, keeper) };
    } catch (error) {
        signal.throwIfAborted();
        if (isGone()) {
            warn(`the results are not fetched, and the lead's pod has ended: ${sentence(error)}`);
            return undefined;
        }
        return leave(mark, sentence(error), keeper);
    }
}

function leave(mark: ResultsMark, left: string, { cure, warn }: Keeper): Kept {
    warn(`the results are not fetched: ${left}; ${cure}`);
    return { mark, left };
}

/** A connection may break at any time, and a fetch changes nothing before its end. */
export async function repeat<T>(
    act: () => Promise<T>,
    { isGone, say, signal }: Pick<Keeper, "isGone" | "say" | "signal">,
): Promise<T> {
    for (let tries = 1; ; tries++) {
        try {
            return await act();
        } catch (error) {
            if (tries === TRIES || signal.aborted || isGone()) {
                throw error;
            }
            const delay = PAUSE * 2 ** (tries - 1);
            say(`${sentence(error)}; trying again in ${describeSeconds(delay / 1000)}`);
            await pause(delay, signal);
        }
    }
}
