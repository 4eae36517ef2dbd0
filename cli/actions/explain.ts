import { leadFor, overcome } from "../../provider/flux/lead";
import { Queue } from "../../provider/flux/queue";
import type { Arguments } from "../arguments";
import { describeExplanation, explainJob } from "../explanation";
import type { Facts } from "../explanation/facts";
import { LIMITS } from "../followJob";
import { jobIdOf } from "../jobId";
import { programName } from "../programName";
import { leadOf, type Target, targetOf, waitingFor } from "../target";

/** Says why a job waits, or why it has failed. */
export async function explain({ options, words: [word] }: Arguments): Promise<number> {
    const jobId = jobIdOf(word);
    const target = targetOf(options);
    await leadOf(target);
    const explanation = explainJob(await factsOf(target, jobId), Date.now() / 1000);
    process.stdout.write(
        options.json ? `${JSON.stringify(explanation, undefined, 2)}\n` : describeExplanation(explanation),
    );
    return 0;
}

async function factsOf(target: Target, jobId: string): Promise<Facts> {
    const waiting = { ...waitingFor(target), mayWake: () => false };
    const deadline = Date.now() + LIMITS.patience;
    for (;;) {
        try {
            const { container } = await leadFor(waiting, (deadline - Date.now()) / 1000);
            const text = await new Queue(target.kube, container, waiting.signal).explain(jobId);
            if (text === undefined) {
                throw new Error(`Flux doesn't know job ${jobId}. ${programName()} jobs lists those that it knows`);
            }
            return JSON.parse(text) as Facts;
        } catch (error) {
            await overcome(error, waiting, deadline);
        }
    }
}
