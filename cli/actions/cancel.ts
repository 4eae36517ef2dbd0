import type { Arguments } from "../arguments";
import { askQueue } from "../askQueue";
import { jobIdOf } from "../jobId";
import { leadOf, targetOf } from "../target";

/** Cancels jobs. */
export async function cancel({ options, words }: Arguments): Promise<number> {
    const jobIds = words.map(jobIdOf);
    const target = targetOf(options);
    await leadOf(target);
    const errors = await askQueue(target, (queue) => queue.cancel(jobIds));
    if (options.json) {
        process.stdout.write(`${JSON.stringify({ jobIds, errors })}\n`);
    } else if (errors.length === 0) {
        process.stdout.write(jobIds.map((jobId) => `cancelled ${jobId}\n`).join(""));
    } else {
        errors.forEach((error) => process.stderr.write(`minicluster: not cancelled: ${error}\n`));
    }
    return errors.length === 0 ? 0 : 1;
}
