/** Milliseconds between looks, at least: a look that is a process in a pod may not take all of a core. */
const PAUSE = 100;

/** Looks again and again until there is an answer; a timeout names what was waited for. */
export async function until<T>(what: string, look: () => Promise<T | undefined>, seconds = 60): Promise<T> {
    for (const deadline = Date.now() + seconds * 1000; ; ) {
        const begun = Date.now();
        const answer = await look();
        if (answer !== undefined) {
            return answer;
        }
        if (Date.now() > deadline) {
            throw new Error(`${what}: not so after ${seconds} s.`);
        }
        await pause(Math.max(PAUSE, Date.now() - begun));
    }
}

function pause(milliseconds: number): Promise<void> {
    return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
