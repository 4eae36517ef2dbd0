import { exitCodeOf, reasonOf } from "../../provider/flux/eventlog";
import type { PastJob, RankResources } from "../../provider/flux/history";
import { sizeOf } from "../../provider/flux/idset";
import { meaning } from "../fluxJob/exitCode";
import type { Amount, JobRun, JobState } from "./model";

/** The runs of the jobs that Flux remembers. */
export function jobRuns(jobs: readonly PastJob[]): JobRun[] {
    return jobs.filter(({ submit }) => submit !== undefined).map(jobRun);
}

function jobRun(job: PastJob): JobRun {
    const { alloc, depend, exception, id, name, queue, resources = [], start, status, submit = 0, user } = job;
    const exitCode = status === undefined ? undefined : exitCodeOf(status);
    const finish = job.finish ?? job.clean;
    const state = stateOf(job, exitCode);
    const hasEnded = state !== "waiting" && state !== "running";
    const amounts = amountsOf(resources);
    return {
        id,
        name,
        state,
        user: user ?? undefined,
        queue,
        submittedAt: milliseconds(submit),
        readyAt: milliseconds(depend),
        allocatedAt: milliseconds(alloc),
        startedAt: milliseconds(start),
        finishedAt: milliseconds(finish),
        exitCode,
        reason: hasEnded && state !== "completed" ? whyFailed(exitCode, exception) : undefined,
        resources: amounts,
        nodes: amounts.reduce((sum, { ranks }) => sum + sizeOf(ranks), 0),
        cores: coresIn(amounts),
    };
}

function whyFailed(exitCode: number | undefined, exception: PastJob["exception"]): string | undefined {
    const reason = reasonOf(exitCode, exception && { ...exception });
    return exception === undefined && exitCode !== undefined ? `${reason}${meaning(exitCode)}` : reason;
}

function stateOf({ alloc, clean, exception, finish }: PastJob, exitCode: number | undefined): JobState {
    if (finish === undefined && clean === undefined) {
        return alloc === undefined ? "waiting" : "running";
    }
    if (exception?.type === "cancel") {
        return "cancelled";
    }
    if (exception?.type === "timeout") {
        return "timed out";
    }
    return exception === undefined && exitCode === 0 ? "completed" : "failed";
}

/** Flux' resources as amounts. */
export function amountsOf(resources: readonly RankResources[]): Amount[] {
    return resources.map(({ children, rank }) => ({
        ranks: rank,
        cores: children.core ?? "",
        gpus: children.gpu ?? "",
    }));
}

/** The number of cores of all ranks. */
export function coresIn(amounts: readonly Amount[]): number {
    return amounts.reduce((sum, { cores, ranks }) => sum + sizeOf(ranks) * sizeOf(cores), 0);
}

/** Converts a time of Flux. */
export function milliseconds<T extends number | undefined>(seconds: T): T {
    return (seconds === undefined ? undefined : Math.round(seconds * 1000)) as T;
}
