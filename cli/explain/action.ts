import { foreignJson } from "../../provider/contract/foreignText";
import type { Arguments } from "../definition/arguments";
import { askQueue } from "../fluxJob/askQueue";
import { describeExplanation, explainJob } from "./explanation";
import type { Facts } from "./facts";
import { jobIdOf } from "../fluxJob/id";
import { programName } from "../definition/programName";
import { leadOf, type Target, targetOf } from "../target/target";

/** Says why a job waits, or why it has failed. */
export async function explain({ options, words: [word] }: Arguments): Promise<number> {
    const jobId = jobIdOf(word);
    const target = await targetOf(options);
    await leadOf(target);
    const explanation = explainJob(await factsOf(target, jobId), Date.now() / 1000);
    process.stdout.write(options.json ? `${foreignJson(explanation, 2)}\n` : describeExplanation(explanation));
    return 0;
}

async function factsOf(target: Target, jobId: string): Promise<Facts> {
    const text = await askQueue(target, (queue) => queue.explain(jobId));
    if (text === undefined) {
        throw new Error(`Flux doesn't know job ${jobId}. ${programName()} jobs lists those that it knows`);
    }
    return JSON.parse(text) as Facts;
}
