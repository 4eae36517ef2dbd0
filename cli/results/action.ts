import { mkdirSync, statSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";

import type { V1Job } from "@kubernetes/client-node";

import { FLUX_CONTAINER } from "../../provider/contract/names";
import { counted, sizeInWords } from "../../provider/contract/words";
import { FarCopy } from "../../provider/copy/far";
import { sentence } from "../../provider/kubernetes/failures/failure";
import type { Container } from "../../provider/kubernetes/streams/exec";
import type { Pod } from "../../provider/observe/pods/pod";
import { fetchResults, runIn, tellFetched } from "../../provider/results/fetch";
import type { Told } from "../../provider/results/list";
import { readTold } from "../../provider/results/told";
import { withCopyPod } from "../cp/copyPod";
import { ProgressRow } from "../cp/progressRow";
import { copyOut } from "../cp/transfer";
import { type Arguments, UsageError } from "../definition/arguments";
import { parameterOf } from "../../provider/record/ran";
import { ranksOf } from "../target/ranks";
import { jobOf, type Target, targetOf } from "../target/target";
import { printJson, say } from "../terminal/terminal";

/** Fetches the results of a cluster's command. */
export async function results({ options }: Arguments): Promise<number> {
    const target = await targetOf(options);
    const job = await jobOf(target);
    const to = (options["to"] as string | undefined) ?? `results/${target.name}`;
    if (parameterOf(job, "results") === undefined) {
        throw new Error(
            `MiniCluster ${target.namespace}/${target.name} has no argument results. npx flux-minicluster cp copies ` +
                "files of a cluster that runs, or of its volumes.",
        );
    }
    const place = parameterOf(job, "resultsPlace");
    if (place === undefined) {
        requireReplaceable(to);
    }
    const stop = new AbortController();
    const interrupt = () => stop.abort(new Error("the fetch was interrupted"));
    process.once("SIGINT", interrupt);
    process.once("SIGTERM", interrupt);
    try {
        const got =
            place === undefined
                ? await fromPods(
                      target,
                      { to, ofAllRanks: parameterOf(job, "resultsRanks") !== undefined },
                      stop.signal,
                  )
                : await fromVolume(target, job, { place, to }, stop.signal);
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

/** Refuses a folder whose replacement would remove more than older results. */
function requireReplaceable(to: string): void {
    const holdsThis = !relative(resolve(to), process.cwd()).startsWith("..");
    if (holdsThis) {
        throw new UsageError(
            `--to is "${to}", which would be replaced, with the current folder. Name a folder of its own.`,
        );
    }
    if (statSync(to, { throwIfNoEntry: false })?.isDirectory() === false) {
        throw new UsageError(`--to is "${to}", which is a file. Name a folder.`);
    }
}

/** What has been fetched. */
interface Got {
    readonly target: string;
    readonly count: number;
    readonly bytes: number;
    readonly reasons: readonly string[];
}

interface InPods {
    readonly ofAllRanks: boolean;
    readonly to: string;
}

async function fromPods(target: Target, { ofAllRanks, to }: InPods, signal: AbortSignal): Promise<Got> {
    const { kube, namespace } = target;
    const pods = await ranksOf(target);
    const lead = pods.find(({ rank }) => rank === 0);
    const told = lead && (await toldBy(target, lead));
    if (lead === undefined || told?.state !== "waits" || lead.terminated !== undefined) {
        throw new Error(`${target.name}: ${whyNot(lead, told)}`);
    }
    const containerOf = ({ name }: Pod): Container => ({ namespace, pod: name, container: FLUX_CONTAINER });
    const podOf = (wanted: number) => {
        const pod = pods.find(({ rank }) => rank === wanted);
        return pod && { name: pod.name, run: runIn(kube, containerOf(pod)) };
    };
    const watch = new ProgressRow(process.stderr);
    try {
        await fetchResults({ podOf, ofAllRanks, mark: told, to, watch, signal });
    } finally {
        watch.clear();
    }
    await tellFetched(kube, containerOf(lead), signal);
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
