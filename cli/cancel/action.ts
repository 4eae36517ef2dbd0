import type { Arguments } from "../definition/arguments";
import { askQueue } from "../fluxJob/askQueue";
import { jobIdOf } from "../fluxJob/id";
import { leadOf, targetOf } from "../target/target";
import { printJson, say } from "../terminal/terminal";

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
        // Flux names a job in its own form, also if the user has written another one.
        const [word] = words.length === 1 && !errors.some((error) => error.startsWith(jobIds[0])) ? words : [];
        errors.forEach((error) => say(`not cancelled: ${word === undefined ? "" : `${word}: `}${error}`));
    }
    return errors.length === 0 ? 0 : 1;
}
