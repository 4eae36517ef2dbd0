import { type JobProgress, readEventlog } from "../../provider/flux/eventlog";
import { FollowedOutput, followOutput } from "../../provider/flux/followedOutput";
import type { JobKey } from "../../provider/flux/job";
import { Queue } from "../../provider/flux/queue";
import { isPassing, leadFor, type Waiting, wakingOnce } from "../../provider/flux/lead";
import type { Container } from "../../provider/kubernetes/streams/exec";
import { sentence } from "../../provider/kubernetes/failures/failure";
import { persist, type Tries } from "../../provider/kubernetes/persist";
import type { JobOutput } from "./output";
import { programName } from "../definition/programName";
import { type Target, waitingFor } from "../target/target";
import { say } from "../terminal/terminal";
import { tryAgain } from "../terminal/tryAgain";

/** Limits of the tries after a lost connection, in milliseconds. */
export interface Limits {
    /** Time of tries without a connection, after which the command ends. The job continues. */
    readonly patience: number;
    /** Time between two tries. */
    readonly pause: number;
}

export const LIMITS: Limits = { patience: 120_000, pause: 1000 };

/** Milliseconds after which a connection counts as a good one, also without output. */
const GOOD = 10_000;

/** Shows a job's output until its end; returns its exit code. After a lost connection it continues. */
export async function followJob(target: Target, key: JobKey, output: JobOutput, limits = LIMITS): Promise<number> {
    return (await readJob(target, key, { call: "follow", output, limits })) ?? 1;
}

/** How an output is read. */
interface Reading {
    /** Until the job's end, or what there is now. */
    readonly call: "follow" | "show";
    readonly output: JobOutput;
    readonly limits?: Limits;
}

/** Shows a job's output; returns its exit code, or undefined if the job has not ended. After a lost connection it continues. */
export async function readJob(target: Target, key: JobKey, reading: Reading): Promise<number | undefined> {
    const { call, limits = LIMITS, output } = reading;
    const job = new Job(target, key, reading);
    const attempt = async (tries: Tries) => {
        let exitCode: number | undefined;
        do {
            exitCode = await job.followOnce(tries);
            // Without an exit code, the time of one call is over.
        } while (exitCode === undefined && call === "follow");
        await output.end(key.jobId, exitCode);
        return { exitCode };
    };
    try {
        return (await persist(attempt, { ...limits, isPassing, tell: tryAgain(target.kube.server) })).exitCode;
    } catch (error) {
        return giveUp(job, key, output, error);
    }
}

/** Ends after an error: with the job's exit code if the job has ended. */
async function giveUp(job: Job, { jobId }: JobKey, output: JobOutput, error: unknown): Promise<number | undefined> {
    const why = sentence(error);
    const exitCode = job.isLost ? undefined : await job.recorded().catch(() => undefined);
    if (exitCode === undefined) {
        const cure = job.isLost ? "" : `. It may still run: see ${programName()} jobs`;
        throw new Error(`job ${jobId} can't be followed: ${why}${cure}`);
    }
    say(`the end of the output of job ${jobId} may be missing: ${why}`);
    await output.end(jobId, exitCode);
    return exitCode;
}

const LOST = "Flux doesn't know it any more; the queue was lost with the lead's pod";

/** A job whose output is read. */
class Job {
    /** Whether Flux doesn't know the job any more. */
    isLost = false;
    private readonly output: FollowedOutput;
    private readonly waiting: Waiting;

    constructor(
        private readonly target: Target,
        private readonly key: JobKey,
        private readonly reading: Reading,
    ) {
        this.waiting = wakingOnce(waitingFor(target));
        this.output = new FollowedOutput(reading.output);
    }

    /**
     * Reads the output with one connection; returns the job's exit code, or undefined if the job has not ended. Fails if
     * the connection ends before the job.
     */
    async followOnce({ answered, left }: Tries): Promise<number | undefined> {
        const { container } = await leadFor(this.waiting, left());
        const events = await this.call(container, answered);
        answered();
        if (events === undefined) {
            this.isLost = true;
            throw new Error(
                this.key.nonce === "" ? `Flux doesn't know it. ${programName()} jobs lists those that it knows` : LOST,
            );
        }
        const progress = readEventlog(events);
        return progress.over ? codeOf(progress) : undefined;
    }

    /** The exit code that Flux has recorded; undefined if the job has not ended. */
    async recorded(): Promise<number | undefined> {
        const { container } = await leadFor(this.waiting, 1);
        const record = await new Queue(this.target.kube, container, this.waiting.signal).watch(this.key, "", 0);
        return record?.over ? codeOf(record) : undefined;
    }

    private async call(container: Container, answered: () => void): Promise<string | undefined> {
        const { jobId, nonce } = this.key;
        const before = this.output.position.join();
        let connectedAt = Infinity;
        try {
            return await followOutput(this.target.kube, container, this.output, {
                words: [this.reading.call, jobId, nonce, ...this.output.position],
                signal: this.waiting.signal,
                connected: () => (connectedAt = Date.now()),
            });
        } finally {
            if (this.output.position.join() !== before || Date.now() - connectedAt > GOOD) {
                answered();
            }
        }
    }
}

/** A job that was cancelled before its start has no exit code. */
function codeOf({ exitCode, reason }: JobProgress): number {
    return exitCode === undefined || (exitCode === 0 && reason !== undefined) ? 1 : exitCode;
}
