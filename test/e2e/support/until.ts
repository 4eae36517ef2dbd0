/** Least milliseconds between two looks, because a look that starts a process in a pod must not take a whole core. */
const PAUSE = 100;

/** Repeats a look until it has a result. The error after a timeout names the condition. */
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
