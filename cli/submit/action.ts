import { foreignJson } from "../../provider/contract/foreignText";
import { randomBytes } from "node:crypto";

import { countOf, ownTasksNotice } from "../../components/runOptions/ownTasks";
import { type JobRequest, newNonce } from "../../provider/flux/job";
import { submitJob } from "../../provider/flux/submission";
import { type Arguments, UsageError } from "../definition/arguments";
import { clustersIn } from "../target/clusters";
import { cancelJob } from "../fluxJob/askQueue";
import { followJob } from "../fluxJob/follow";
import { outputFor } from "../fluxJob/output";
import { programName } from "../definition/programName";
import { readRunOptions } from "./runOptions";
import { requireLead, type Target, targetOf, waitingFor, WAKES_WITHIN } from "../target/target";
import { progress, say } from "../terminal/terminal";

/** Runs a job, prints its output and returns its exit code. */
export async function submit({ options, words }: Arguments): Promise<number> {
    const run = readRunOptions(options);
    const target = await targetOf(options);
    await refuseClusterWord(options, words, target);
    const notice = ownTasksNotice(words, "submit", { hasRendezvous: false, count: countOf(run, 1) });
    if (notice !== undefined) {
        say(`the command ${notice}`);
    }
    const job = { ...jobOf(options, words), ...run };
    await requireLead(target);
    const left: Left = { job: job.jobName };
    const { isInterrupted, jobId } = await submitUnlessInterrupted(job, target, left);
    if (options.detach && !isInterrupted) {
        process.stdout.write(options.json ? `${foreignJson({ jobId })}\n` : `${jobId}\n`);
        return 0;
    }
    progress(`job ${jobId} was submitted; Ctrl-C cancels it`);
    left.job = jobId;
    const forget = cancelOnSignal(target, jobId, { isInterrupted, left });
    try {
        return await followJob(target, { jobId, nonce: job.nonce }, outputFor(options));
    } finally {
        forget();
    }
}

const SIGNALS = ["SIGINT", "SIGTERM"] as const;

/** What a second Ctrl-C leaves in Flux: the job, by its name or its id, until Flux has taken its cancellation. */
interface Left {
    job: string | undefined;
}

/** Makes the next Ctrl-C end `submit` at once. */
function endAtNext(left: Left): void {
    process.once("SIGINT", () => {
        if (left.job !== undefined) {
            say(mayRun(left.job));
        }
        process.exit(130);
    });
}

function mayRun(job: string): string {
    return `job ${job} may still run. If ${programName()} jobs lists it, ${programName()} cancel with its id cancels it`;
}

/** Submits the job. After Ctrl-C, Flux has a few seconds to tell the job's id, without which the job can't be cancelled. */
async function submitUnlessInterrupted(
    job: JobRequest,
    target: Target,
    left: Left,
): Promise<{ readonly isInterrupted: boolean; readonly jobId: string }> {
    const interruption = new AbortController();
    const { signal } = interruption;
    const interrupt = () => {
        endAtNext(left);
        say(
            `waiting for the answer to the submission, to cancel the job; another Ctrl-C ends ${programName()} at once`,
        );
        interruption.abort(new Error("it was interrupted"));
    };
    SIGNALS.forEach((name) => process.once(name, interrupt));
    try {
        const { jobId } = await submitJob(job, { ...waitingFor(target), signal }, WAKES_WITHIN);
        return { isInterrupted: signal.aborted, jobId };
    } catch (error) {
        if (!signal.aborted) {
            throw error;
        }
        throw new Error(`the submission was interrupted, and ${mayRun(job.jobName)}`, { cause: error });
    } finally {
        SIGNALS.forEach((name) => process.off(name, interrupt));
    }
}

/** `submit lammps -- ls` would run a program lammps: the cluster of submit is an option, because its words are the command. */
async function refuseClusterWord(
    options: Arguments["options"],
    [first, second]: readonly string[],
    { kube, namespace }: Target,
): Promise<void> {
    if (second !== "--" || options.cluster !== undefined) {
        return;
    }
    if ((await clustersIn(kube, namespace)).some(({ name }) => name === first)) {
        throw new UsageError(
            `the program of the job is "${first}", which is a MiniCluster. Write submit -c ${first} -- COMMAND for the cluster.`,
        );
    }
}

function jobOf(options: Arguments["options"], command: readonly string[]): JobRequest {
    return {
        nonce: newNonce(),
        key: randomBytes(32).toString("hex"),
        jobName: options["job-name"] ?? command[0].split("/").at(-1) ?? "job",
        command,
        workingDirectory: options.cwd,
        environment: Object.fromEntries((options.env ?? []).map(assignment)),
    };
}

function assignment(text: string): [string, string] {
    const [, name, value] = /^([A-Za-z_][A-Za-z0-9_]*)=([^]*)$/.exec(text) ?? [];
    if (name === undefined) {
        throw new UsageError(`--env is "${text}"; it must be NAME=VALUE.`);
    }
    return [name, value];
}

/** The first Ctrl-C cancels the job, and `submit` waits for its end; the second one ends `submit` only. */
function cancelOnSignal(
    target: Target,
    jobId: string,
    { isInterrupted, left }: { readonly isInterrupted: boolean; readonly left: Left },
): () => void {
    const cancelIt = () => void cancelJob(target, jobId).then((isTaken) => isTaken && (left.job = undefined));
    const cancel = () => {
        endAtNext(left);
        say(`cancelling ${jobId}; another Ctrl-C ends ${programName()} without waiting`);
        cancelIt();
    };
    if (isInterrupted) {
        cancelIt();
        return () => undefined;
    }
    SIGNALS.forEach((name) => process.once(name, cancel));
    return () => SIGNALS.forEach((name) => process.off(name, cancel));
}
