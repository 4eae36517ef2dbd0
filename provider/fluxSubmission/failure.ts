import { foreignLine } from "../contract/foreignText";
import type { FluxSubmissionInputs, JobRecord } from "./properties";
import type { JobPhase } from "../flux/job";
import type { Ended } from "../flux/follow";
import { sharedMemoryHint } from "../observe/pods/sharedMemory";

/** Lines of the output in an error message. */
const LINES = 20;

type Job = Pick<FluxSubmissionInputs, "cluster" | "secretOutput" | "timeouts"> & { readonly jobId: string };

/** The job in a message. */
export function nameOf({ cluster, jobId }: Pick<Job, "cluster" | "jobId">): string {
    return `Flux job ${jobId} of MiniCluster ${cluster.namespace}/${cluster.name}`;
}

/** Describes why a wait ended without a success of the job; undefined if the job has succeeded. */
export function describeEnd(ended: Ended, phase: JobPhase, job: Job): string | undefined {
    const what = nameOf(job);
    if (ended.unfinished === "interrupted") {
        return `The wait for ${what} was interrupted (phase: ${phase}). The next update resumes the wait.`;
    }
    if (ended.unfinished === "timeout") {
        const limit = `${job.timeouts.completed} s (timeouts.completed)`;
        return `${what} has not finished within ${limit}. It is not cancelled; the next update resumes the wait.`;
    }
    if (ended.progress === undefined) {
        return `${what} was lost: its cluster has no record of it. The next update submits it again.`;
    }
    if (phase === "succeeded") {
        return undefined;
    }
    return `${what} failed: ${foreignLine(ended.progress.reason ?? "")}.${endOf(ended.progress.reason, ended.output, job)}`;
}

/** Describes the failure of a job that the state records. */
export function describeRecord({ output, reason }: Pick<JobRecord, "output" | "reason">, job: Job): string {
    const what = nameOf(job);
    return `${what} failed: ${foreignLine(reason ?? "")}.${endOf(reason, output, job)}`;
}

/** What its output may tell of a failure, and its last lines. */
export function endOf(
    reason: string | undefined,
    output: string,
    { secretOutput = false }: { secretOutput?: boolean },
): string {
    return sharedMemoryHint(reason ?? "", output) + tail(output, secretOutput);
}

/** The last lines of an output for an error; nothing of a secret one. */
function tail(output: string, secret: boolean): string {
    if (secret || output.trim() === "") {
        return "";
    }
    const lines = output.trimEnd().split("\n").slice(-LINES);
    return `\nThe end of its output:\n${lines.map((line) => `  ${line}`).join("\n")}`;
}
