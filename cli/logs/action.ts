import { foreignJson } from "../../provider/contract/foreignText";
import { text } from "node:stream/consumers";

import { FLUX_CONTAINER } from "../../provider/contract/names";
import { type Kube, retry } from "../../provider/kubernetes/client";
import type { Container } from "../../provider/kubernetes/streams/exec";
import { sentence } from "../../provider/kubernetes/failures/failure";
import { readLog } from "../../provider/kubernetes/streams/podLog";
import { withoutMarks } from "../../provider/results/list";
import { MarkFilter } from "../../provider/results/markFilter";
import { type Arguments, UsageError } from "../definition/arguments";
import { readJob } from "../fluxJob/follow";
import { JsonLines } from "../terminal/jsonLines";
import { followLog } from "./followLog";
import { isRank, jobIdOf } from "../fluxJob/id";
import { outputFor } from "../fluxJob/output";
import { rankOf } from "../target/ranks";
import { leadOf, targetOf } from "../target/target";
import { written } from "../terminal/terminal";

/** Prints the log of a rank's container or the output of a job, and with `--follow` what is new. */
export async function logs({ options, words }: Arguments): Promise<number> {
    const [first = "0", second] = words;
    return isRank(first) ? logOfRank(options, first, second) : logOfJob(options, words);
}

async function logOfJob(options: Arguments["options"], words: readonly string[]): Promise<number> {
    if (words.length > 1) {
        throw new UsageError(
            `logs is given "${words.join(" ")}"; it takes a rank (a number) and a container, or a job.`,
        );
    }
    const jobId = jobIdOf(words[0]);
    const target = await targetOf(options);
    await leadOf(target);
    await readJob(
        target,
        { jobId, nonce: "" },
        { call: options.follow === true ? "follow" : "show", output: outputFor(options) },
    );
    return 0;
}

async function logOfRank(options: Arguments["options"], rank: string, name = FLUX_CONTAINER): Promise<number> {
    const { kube, ...target } = await targetOf(options);
    const { name: pod } = await rankOf({ kube, ...target }, Number(rank));
    const container = { namespace: target.namespace, pod, container: name };
    const print = (chunk: Buffer | string) => written(process.stdout, chunk);
    const filter = new MarkFilter();
    const show = (chunk: Buffer) => print(filter.take(chunk));
    try {
        if (options.follow === true) {
            const lines = new JsonLines({ rank: Number(rank), container: name }, print);
            await followLog(kube, container, options.json ? (bytes) => lines.take(filter.take(bytes)) : show);
            await lines.end();
        } else if (options.json) {
            const whole = await retry(() => text(readLog(kube, container, {}, kube.patience)), kube.patience.tries);
            const log = withoutMarks(whole);
            await print(`${foreignJson({ rank: Number(rank), container: name, log })}\n`);
        } else {
            await printLog(kube, container, show);
        }
        if (!options.json) {
            await print(filter.end());
        }
    } catch (error) {
        throw new Error(`the log of ${pod} can't be read: ${sentence(error)}`);
    }
    return 0;
}

/** Prints a log while it is read. It is requested again only if nothing of it has been printed. */
async function printLog(kube: Kube, container: Container, print: (chunk: Buffer) => Promise<void>): Promise<void> {
    const { chunks, first } = await retry(async () => {
        const begun = readLog(kube, container, {}, kube.patience);
        return { chunks: begun, first: await begun.next() };
    }, kube.patience.tries);
    if (first.done !== true) {
        await print(first.value);
        for await (const chunk of chunks) {
            await print(chunk);
        }
    }
}
