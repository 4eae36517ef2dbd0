import type { FluxSubmissionInputs, JobPhase } from "./resource";
import type { Ended } from "./wait";

/** Lines of the output in an error message. */
const LINES = 20;

type Job = Pick<FluxSubmissionInputs, "cluster" | "secretOutput" | "timeouts"> & { readonly jobId: string };

/** What is wrong with how a wait ended; undefined where the job has succeeded. */
export function describeEnd(ended: Ended, phase: JobPhase, job: Job): string | undefined {
    const what = `Flux job ${job.jobId} of MiniCluster ${job.cluster.namespace}/${job.cluster.name}`;
    if (ended.unfinished === "interrupted") {
        return `The wait for ${what} was interrupted while it was ${phase}; the next update resumes it.`;
    }
    if (ended.unfinished === "timeout") {
        return `${what} has not ended within ${job.timeouts.completed} s (timeouts.completed) and goes on; the next update waits on.`;
    }
    if (ended.progress === undefined) {
        return `${what} was lost: its cluster doesn't know it any more. The next update submits it again.`;
    }
    if (phase === "succeeded") {
        return undefined;
    }
    return `${what} failed: ${ended.progress.reason}.${tail(ended.output, job.secretOutput ?? false)}`;
}

function tail(output: string, secret: boolean): string {
    if (secret || output.trim() === "") {
        return "";
    }
    const lines = output.trimEnd().split("\n").slice(-LINES);
    return `\nThe end of its output:\n${lines.map((line) => `  ${line}`).join("\n")}`;
}
