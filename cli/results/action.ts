import { mkdirSync } from "node:fs";
import { dirname, resolve } from "node:path";

import type { V1Job } from "@kubernetes/client-node";

import { FLUX_CONTAINER } from "../../provider/contract/names";
import { RESULTS_OFFER } from "../../provider/contract/paths";
import { counted, sizeInWords } from "../../provider/contract/words";
import { FarCopy } from "../../provider/copy/far";
import { sentence } from "../../provider/kubernetes/failures/failure";
import type { Pod } from "../../provider/observe/pods/pod";
import { ranksOf } from "../../provider/observe/ranks";
import { fetchResults, podsAmong, runIn, tellFetched } from "../../provider/results/fetch";
import type { Told } from "../../provider/results/list";
import { readTold } from "../../provider/results/told";
import { withCopyPod } from "../cp/copyPod";
import { ProgressRow } from "../cp/progressRow";
import { copyOut } from "../cp/transfer";
import type { Arguments } from "../definition/arguments";
import { jobIdOf } from "../fluxJob/id";
import { parameterOf } from "../../provider/record/ran";
import { jobOf, type Target, targetOf } from "../target/target";
import { printJson, say } from "../terminal/terminal";
import { type Got, ofJob } from "./fluxJob";
import { requireReplaceable } from "./replaceable";

/** Fetches the results of a cluster's command, or of a job. */
export async function results({ options, words: [word] }: Arguments): Promise<number> {
    const jobId = word === undefined ? undefined : jobIdOf(word);
    const target = await targetOf(options);
    const to = options["to"] as string | undefined;
    const stop = new AbortController();
    const interrupt = () => stop.abort(new Error("the fetch was interrupted"));
    process.once("SIGINT", interrupt);
    process.once("SIGTERM", interrupt);
    try {
        const { signal } = stop;
        const got = await (jobId === undefined ? ofCommand(target, to, signal) : ofJob(target, { jobId, to }, signal));
        if (options.json === true) {
            printJson(got);
        } else {
            got.reasons.forEach((reason) => say(`not complete: ${reason}`));
            process.stdout.write(`${counted(got.count, "file")}, ${sizeInWords(got.bytes)}: ${got.target}\n`);
        }
        return 0;
    } finally {
        process.removeListener("SIGINT", interrupt);
        process.removeListener("SIGTERM", interrupt);
    }
}

async function ofCommand(target: Target, to = `results/${target.name}`, signal: AbortSignal): Promise<Got> {
    const job = await jobOf(target);
    if (parameterOf(job, "results") === undefined) {
        throw new Error(
            `MiniCluster ${target.namespace}/${target.name} has no argument results. npx flux-minicluster cp copies ` +
                "files of a cluster that runs, or of its volumes. The results of a FluxJob need the job's id.",
        );
    }
    const place = parameterOf(job, "resultsPlace");
    if (place !== undefined) {
        return fromVolume(target, job, { place, to }, signal);
    }
    requireReplaceable(to);
    return fromPods(target, { to, ofAllRanks: parameterOf(job, "resultsRanks") !== undefined }, signal);
}

interface InPods {
    readonly ofAllRanks: boolean;
    readonly to: string;
}

async function fromPods(target: Target, { ofAllRanks, to }: InPods, signal: AbortSignal): Promise<Got> {
    const { kube, namespace } = target;
    const pods = await ranksOf(kube, target);
    const lead = pods.find(({ rank }) => rank === 0);
    const told = lead && (await toldBy(target, lead));
    if (lead === undefined || told?.state !== "waits" || lead.terminated !== undefined) {
        throw new Error(`${target.name}: ${whyNot(lead, told)}`);
    }
    const podOf = podsAmong(kube, namespace, pods);
    const watch = new ProgressRow(process.stderr);
    try {
        await fetchResults({ podOf, ofAllRanks, offer: RESULTS_OFFER, mark: told, to, watch, signal });
    } finally {
        watch.clear();
    }
    await tellFetched(kube, { namespace, pod: lead.name, container: FLUX_CONTAINER }, signal);
    const { bytes, count, reasons } = told;
    return { target: to, count, bytes, reasons };
}

async function toldBy({ kube, namespace }: Target, { name, startedAt }: Pod): Promise<Told | undefined> {
    if (startedAt === undefined) {
        return undefined;
    }
    return readTold(kube, { name, namespace }).catch((error: unknown) => {
        throw new Error(`the log of ${name}, which has the list of the results, can't be read: ${sentence(error)}`);
    });
}

const AGAIN = "Raise results.keepFor or give results.volume, and change triggers to run the command again.";

function whyNot(lead: Pod | undefined, told: Told | undefined): string {
    if (lead === undefined) {
        return `the lead's pod, which had the results, doesn't exist any more, so they are lost. ${AGAIN}`;
    }
    if (lead.terminated === undefined) {
        return "the command has not ended yet. Its results are there when it has.";
    }
    const { exitCode, marks } = lead.terminated;
    const what = told === undefined ? "no list is left" : counted(told.count, "file");
    switch (marks["results"]) {
        case "fetched":
            return `the results have been fetched already (${what}).`;
        case "lost":
            return "the results are lost, and the lead's log says why.";
        case undefined:
            return exitCode === 0
                ? `the lead has ended without results. ${AGAIN}`
                : `the command has failed with exit code ${exitCode}, so nothing was kept. Give results.onFailure.`;
        default:
            return `nobody has fetched the results (${what}) while the lead's pod waited, so they are lost. ${AGAIN}`;
    }
}

interface InVolume {
    readonly place: string;
    readonly to: string;
}

async function fromVolume(target: Target, job: V1Job, { place, to }: InVolume, signal: AbortSignal): Promise<Got> {
    const { kube } = target;
    mkdirSync(dirname(resolve(to)), { recursive: true });
    const watch = new ProgressRow(process.stderr);
    try {
        return await withCopyPod(kube, job, signal, async (container) => {
            const far = new FarCopy(runIn(kube, container), `pod ${container.pod}`);
            const { bytes, files, skipped } = await copyOut({ far, from: `${place}/.`, to, watch, signal });
            return { target: to, count: files, bytes, reasons: skipped };
        });
    } finally {
        watch.clear();
    }
}
