import { folderOfJob } from "../../provider/contract/results";
import type { Container } from "../../provider/kubernetes/streams/exec";
import { fetchJob } from "../../provider/results/fetchJob";
import { type FoundJob, JobResults } from "../../provider/results/jobResults";
import { ProgressRow } from "../cp/progressRow";
import { programName } from "../definition/programName";
import { askLead, askQueue } from "../fluxJob/askQueue";
import { leadOf, type Target } from "../target/target";
import { requireReplaceable } from "./replaceable";

/** What has been fetched. */
export interface Got {
    readonly target: string;
    readonly count: number;
    readonly bytes: number;
    readonly reasons: readonly string[];
}

interface Asked {
    readonly jobId: string;
    /** Folder of this machine. */
    readonly to?: string;
}

/** Fetches what a FluxJob has left behind on the pods of its ranks, also if the job has failed. */
export async function ofJob(target: Target, { jobId, to }: Asked, signal: AbortSignal): Promise<Got> {
    await leadOf(target);
    const calls = (lead: Container) => new JobResults(target.kube, lead, signal);
    const { found } = await askLead(target, async (lead) => ({ found: await calls(lead).find(jobId) }));
    const { jobName, key, wanted } = requireWanted(found, jobId);
    const folder = to ?? `results/${folderOfJob(jobName)}`;
    requireReplaceable(folder);
    const progress = await askQueue(target, (queue) => queue.watch(key, "", 0));
    if (progress?.over !== true) {
        throw new Error(`job ${key.jobId} has not ended yet. Its results are there when it has.`);
    }
    const ended = { ...key, exitCode: progress.exitCode ?? 1 };
    const { told } = await askLead(target, async (lead) => ({ told: await calls(lead).keep(ended, wanted) }));
    if (told?.state !== "waits") {
        throw new Error(`the results of job ${key.jobId} are lost: ${told?.reasons[0] ?? unknown(key.jobId)}`);
    }
    const watch = new ProgressRow(process.stderr);
    try {
        const { ofAllRanks } = wanted;
        await fetchJob(target.kube, { cluster: target, key, ofAllRanks, mark: told, to: folder, watch, signal });
    } finally {
        watch.clear();
    }
    const { bytes, count, reasons } = told;
    return { target: folder, count, bytes, reasons };
}

function requireWanted(found: FoundJob | undefined, jobId: string): Required<FoundJob> {
    if (found === undefined) {
        throw new Error(unknown(jobId));
    }
    const { wanted, ...job } = found;
    if (wanted === undefined) {
        throw new Error(
            `job ${job.key.jobId} has no argument results. npx flux-minicluster cp copies files of a cluster that runs.`,
        );
    }
    return { ...job, wanted };
}

function unknown(jobId: string): string {
    return `Flux doesn't know job ${jobId}. ${programName()} jobs lists those that it knows`;
}
