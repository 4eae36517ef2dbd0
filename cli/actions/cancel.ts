import type { Arguments } from "../arguments";
import { askQueue } from "../askQueue";
import { jobIdOf } from "../jobId";
import { leadOf, targetOf } from "../target";
import { printJson, say } from "../terminal";

/** Cancels jobs. */
export async function cancel({ options, words }: Arguments): Promise<number> {
    const jobIds = words.map(jobIdOf);
    const target = await targetOf(options);
    await leadOf(target);
    const errors = await askQueue(target, (queue) => queue.cancel(jobIds));
    if (options.json) {
        printJson({ jobIds, errors });
    } else if (errors.length === 0) {
        process.stdout.write(jobIds.map((jobId) => `cancelled ${jobId}\n`).join(""));
    } else {
        errors.forEach((error) => say(`not cancelled: ${error}`));
    }
    return errors.length === 0 ? 0 : 1;
}
