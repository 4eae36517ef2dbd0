import { isDeepStrictEqual } from "node:util";

import { FLUX_CONTAINER } from "../contract/names";
import { folderOfJob, type KeptResults, type WantedJobResults } from "../contract/results";
import { leadFor, patiently, type Waiting } from "../flux/lead";
import { warner } from "../host/log";
import type { Kube } from "../kubernetes/client";
import { sentence } from "../kubernetes/failures/failure";
import { persist } from "../kubernetes/persist";
import { type JobName, type KnownJob, locate } from "../observe/job";
import { fetchJob } from "../results/fetchJob";
import { type EndedJob, JobResults } from "../results/jobResults";
import { keep } from "../results/keep";
import type { Told } from "../results/list";
import { noResults, outcomeOf } from "../results/outcome";
import type { FluxSubmissionInputs, FluxSubmissionOutputs, JobRecord } from "./properties";
import { isFinished } from "./removal";

const ASLEEP = "the cluster sleeps, and the disks of its pods are gone";
const FAILED = "the job has failed; results.onFailure keeps the results of such a job";

/** The output `results` of a job that has ended. Undefined before that, and if the update was interrupted. */
export async function keepResults(
    inputs: FluxSubmissionInputs,
    { exitCode, jobId, phase }: Pick<JobRecord, "exitCode" | "phase"> & Pick<FluxSubmissionOutputs, "jobId">,
    waiting: Waiting,
): Promise<KeptResults | undefined> {
    const { jobName, keeps, nonce, resourceUrn } = inputs;
    if (keeps === undefined || !isFinished({ phase })) {
        return undefined;
    }
    if (phase === "failed" && !keeps.onFailure) {
        return noResults(FAILED);
    }
    const job = { jobId, jobName, nonce, exitCode: exitCode ?? 1 };
    const say = warner(resourceUrn, jobName);
    try {
        const told = await listResults(job, keeps, { waiting, seconds: inputs.timeouts.ready });
        return await outcome(job, keeps, { told, waiting, say });
    } catch (error) {
        if (waiting.signal.aborted) {
            return undefined;
        }
        const reason = `${sentence(error)}; ${cureOf(waiting.cluster, jobId)}`;
        say(`the results are not kept: ${reason}`);
        return noResults(reason);
    }
}

type Job = EndedJob & { readonly jobName: string };

/** Lets the ranks list the results, or put them into the volume. A cluster that sleeps isn't woken. */
function listResults(
    job: Job,
    keeps: WantedJobResults,
    { seconds, waiting }: { readonly waiting: Waiting; readonly seconds: number },
): Promise<Told> {
    const { cluster, kube, report, signal } = waiting;
    const means = { ...waiting, asleep: ASLEEP, mayWake: () => false };
    return persist(
        async ({ left }) => {
            const { container } = await leadFor(means, left());
            const place = keeps.volume && `${await mountOf(kube, cluster, keeps.volume)}/${placeOf(job, keeps)}`;
            report(`lists the results of ${job.jobId}`);
            const told = await new JobResults(kube, container, signal).keep(job, keeps, place);
            if (told === undefined) {
                throw new Error("Flux doesn't know the job any more");
            }
            return told;
        },
        patiently(means, seconds * 1000),
    );
}

function placeOf({ jobName }: Job, { path = folderOfJob(jobName) }: WantedJobResults): string {
    return path;
}

/** The path of a volume in the pods. */
async function mountOf(kube: Kube, cluster: KnownJob, volume: string): Promise<string> {
    const answer = await locate(kube, cluster);
    const containers = answer.where === "here" ? (answer.job.spec?.template.spec?.containers ?? []) : [];
    const mounts = containers.find(({ name }) => name === FLUX_CONTAINER)?.volumeMounts ?? [];
    const mount = mounts.find(({ name, readOnly }) => name === volume && readOnly !== true);
    if (mount === undefined) {
        throw new Error(`results.volume is "${volume}", which the pods of the cluster don't mount for writing`);
    }
    return mount.mountPath.replace(/\/+$/, "");
}

interface Listing {
    readonly told: Told;
    readonly waiting: Waiting;
    say(line: string): void;
}

/** Fetches what the ranks offer. */
async function outcome(job: Job, keeps: WantedJobResults, { say, told, waiting }: Listing): Promise<KeptResults> {
    const { cluster, kube, report: show, signal } = waiting;
    const { limit, ofAllRanks, volume } = keeps;
    const at = volume === undefined ? `results/${folderOfJob(job.jobName)}` : `${volume}:${placeOf(job, keeps)}`;
    if (told.state !== "waits") {
        const lack = told.state === "lost" ? told.reasons[0] : undefined;
        return outcomeOf({ at, ofAllRanks }, { told, kept: undefined }, lack);
    }
    const cure = cureOf(cluster, job.jobId);
    const kept = await keep(told, {
        limit,
        signal,
        cure,
        get: (watch) => fetchJob(kube, { cluster, key: job, ofAllRanks, mark: told, to: at, watch, signal }),
        isGone: () => false,
        show,
        say: show,
        warn: say,
    });
    const lack = kept?.left && `${kept.left}; ${cure}`;
    return outcomeOf({ at, ofAllRanks }, { told, kept }, lack);
}

function cureOf({ name, namespace }: JobName, jobId: string): string {
    const command = `npx flux-minicluster results ${name} ${jobId} -n ${namespace}`;
    return `${command} fetches them while the pods of the job's ranks are there; later, change triggers to run the job again`;
}

/** The output of work in the state. */
export function resultsIn(
    { cluster, keeps, wait }: FluxSubmissionInputs,
    { jobId, phase, results }: Pick<JobRecord, "phase" | "results"> & Pick<FluxSubmissionOutputs, "jobId">,
): KeptResults | null | undefined {
    if (keeps === undefined) {
        return undefined;
    }
    const isLeft = !wait && isFinished({ phase });
    return (
        results ?? (isLeft ? noResults(`wait is false, so no update fetches them; ${cureOf(cluster, jobId)}`) : null)
    );
}

/** True if an update has to keep results: nothing is known of them, or others are wanted now. The job isn't run again for them. */
export function needsResults(olds: FluxSubmissionOutputs, { keeps, wait }: FluxSubmissionInputs): boolean {
    const isKnown = (olds.results ?? undefined) !== undefined && olds.wait && isDeepStrictEqual(olds.keeps, keeps);
    return keeps !== undefined && wait && olds.phase === "succeeded" && !isKnown;
}
