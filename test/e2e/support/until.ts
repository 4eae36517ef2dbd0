import { limit } from "../../../scripts/tests/limits";

/** Least milliseconds between two looks, because a look that starts a process in a pod must not take a whole core. */
const PAUSE = 100;

/** Repeats a look until it has a result. The error after a timeout names the condition. The limit scales with the machine. */
export async function until<T>(what: string, look: () => Promise<T | undefined>, seconds = 60): Promise<T> {
    for (const deadline = Date.now() + limit(seconds) * 1000; ; ) {
        const begun = Date.now();
        const answer = await look();
        if (answer !== undefined) {
            return answer;
        }
        if (Date.now() > deadline) {
            throw new Error(`${what}: not so after ${limit(seconds)} s.`);
        }
        await pause(Math.max(PAUSE, Date.now() - begun));
    }
}

/** As until(), for cheap looks and conditions that change within milliseconds. */
export async function soon<T>(
    what: string | (() => string),
    look: () => T | false | undefined,
    seconds = 30,
): Promise<T> {
    for (const deadline = Date.now() + limit(seconds) * 1000; ; ) {
        const answer = look();
        if (answer !== undefined && answer !== false) {
            return answer;
        }
        if (Date.now() > deadline) {
            throw new Error(`${typeof what === "string" ? what : what()}: not so after ${limit(seconds)} s.`);
        }
        await pause(5);
    }
}

function pause(milliseconds: number): Promise<void> {
    return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
