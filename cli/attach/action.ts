import type { Arguments } from "../definition/arguments";
import { cancelJob } from "../fluxJob/askQueue";
import { followJob } from "../fluxJob/follow";
import { jobIdOf } from "../fluxJob/id";
import { outputFor } from "../fluxJob/output";
import { leadOf, type Target, targetOf } from "../target/target";
import { say } from "../terminal/terminal";

/** Milliseconds after Ctrl-C in which a second one cancels the job, as with `flux job attach`. */
const WITHIN = 2000;

/** Exit code of a process that SIGTSTP stops. */
const DETACHED = 148;

/** Follows the output of a job and returns its exit code. */
export async function attach({ options, words: [word] }: Arguments): Promise<number> {
    const jobId = jobIdOf(word);
    const target = await targetOf(options);
    // Fails if the cluster sleeps: to follow a job is no reason to wake it.
    await leadOf(target);
    const forget = handleKeys(target, jobId);
    try {
        return await followJob(target, { jobId, nonce: "" }, outputFor(options));
    } finally {
        forget();
    }
}

/** Ctrl-C twice cancels the job; Ctrl-C and then Ctrl-Z leaves it. */
function handleKeys(target: Target, jobId: string): () => void {
    let pressedAt = -Infinity;
    const isSecond = () => performance.now() - pressedAt <= WITHIN;
    const detach = () => {
        say(`job ${jobId} runs on`);
        process.exit(DETACHED);
    };
    const onInterrupt = () => {
        if (isSecond()) {
            say(`cancelling ${jobId}`);
            void cancelJob(target, jobId);
            return;
        }
        pressedAt = performance.now();
        say(`another Ctrl-C within 2 s cancels ${jobId}, Ctrl-Z leaves it`);
    };
    const onStop = () => (isSecond() ? detach() : process.kill(process.pid, "SIGSTOP"));
    process.on("SIGINT", onInterrupt);
    process.on("SIGTSTP", onStop);
    return () => {
        process.off("SIGINT", onInterrupt);
        process.off("SIGTSTP", onStop);
    };
}
