import { PassThrough } from "node:stream";

import { KILLED } from "../provider/fluxSubmission/calls";
import type { JobProgress } from "../provider/fluxSubmission/eventlog";
import { type JobKey, Queue } from "../provider/fluxSubmission/queue";
import { isPassing, leadFor, type Waiting, wakingOnce } from "../provider/fluxSubmission/wait";
import { attach, type Container } from "../provider/kube/exec";
import { sentence } from "../provider/kube/failure";
import { pause } from "../provider/kube/pause";
import { lost } from "../provider/kube/socket";
import { findingFlux } from "./flux";
import { type JobOutput, Resumed } from "./jobOutput";
import { type Target, waitingFor } from "./target";
import { progress } from "./terminal";

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
/** Seconds that Flux gets to finish a job whose output has ended. */
const FINISH_SECONDS = 20;

/** Shows a job's output until its end; returns its exit code. After a lost connection it continues. */
export async function followJob(target: Target, key: JobKey, output: JobOutput, limits = LIMITS): Promise<number> {
    const job = new Job(target, key, output);
    const { signal } = new AbortController();
    let lostAt = Date.now();
    for (;;) {
        try {
            const exitCode = await job.followOnce((lostAt + limits.patience - Date.now()) / 1000);
            await output.end(key.jobId, exitCode);
            return exitCode;
        } catch (error) {
            lostAt = job.wasConnected ? Date.now() : lostAt;
            if (!isPassing(error) || Date.now() - lostAt >= limits.patience) {
                return giveUp(job, key, output, error);
            }
            progress(`${sentence(error)}; trying again`);
        }
        await pause(limits.pause, signal);
    }
}

/** Ends after an error: with the job's exit code if it is known. */
async function giveUp(job: Job, { jobId }: JobKey, output: JobOutput, error: unknown): Promise<number> {
    const why = sentence(error);
    if (job.recorded === undefined) {
        const cure = job.isLost ? "" : ". It may still run: see minicluster jobs";
        throw new Error(`job ${jobId} can't be followed: ${why}${cure}`);
    }
    process.stderr.write(`minicluster: the end of the output of job ${jobId} may be missing: ${why}\n`);
    await output.end(jobId, job.recorded);
    return job.recorded;
}

/** A job that is followed. */
class Job {
    /** The job's exit code as Flux has recorded it. */
    recorded: number | undefined;
    /** Whether the last connection has been a good one. */
    wasConnected = false;
    /** Whether Flux doesn't know the job any more. */
    isLost = false;
    private readonly streams: Readonly<Record<"stdout" | "stderr", Resumed>>;
    private readonly waiting: Waiting;

    constructor(
        private readonly target: Target,
        private readonly key: JobKey,
        output: JobOutput,
    ) {
        this.waiting = wakingOnce(waitingFor(target));
        this.streams = {
            stdout: new Resumed((bytes) => output.show("stdout", bytes)),
            stderr: new Resumed((bytes) => output.show("stderr", bytes)),
        };
    }

    /** Follows the job with one connection. Fails if this ends before the job, or before its output. */
    async followOnce(seconds: number): Promise<number> {
        this.wasConnected = false;
        const { container } = await leadFor(this.waiting, seconds);
        const before = this.recorded;
        const exitCode = await this.attach(container);
        if (exitCode === 0) {
            return exitCode;
        }
        // The exit code may be that of flux job attach, which was killed or has lost its broker.
        this.recorded = await this.exitCodeOf(container, exitCode);
        const isReliable = exitCode === this.recorded && !KILLED.includes(exitCode);
        if (isReliable || this.recorded === before) {
            return this.recorded;
        }
        throw lost(`flux job attach ended with ${exitCode} before the output of the job`);
    }

    private async attach(container: Container): Promise<number> {
        const { stderr, stdout } = this.streams;
        const shown = () => stdout.bytes + stderr.bytes;
        const before = shown();
        let connectedAt = Infinity;
        try {
            return await attach(this.target.kube, container, {
                command: findingFlux(["flux", "job", "attach", "--read-only", this.key.jobId]),
                connected: () => (connectedAt = Date.now()),
                signal: this.waiting.signal,
                stdin: new PassThrough(),
                stdout: stdout.again(),
                stderr: stderr.again(),
            });
        } finally {
            this.wasConnected = shown() > before || Date.now() - connectedAt > GOOD;
        }
    }

    /** The exit code of the job. If the job has none, because it was cancelled before its start, that of the command. */
    private async exitCodeOf(container: Container, attached: number): Promise<number> {
        const { kube } = this.target;
        const record = await new Queue(kube, container, this.waiting.signal).watch(this.key, "clean", FINISH_SECONDS);
        if (record === undefined) {
            this.isLost = true;
            throw new Error("Flux doesn't know it any more; the queue was lost with the lead's pod");
        }
        if (!record.over) {
            throw lost(`flux job attach ended with ${attached}, although the job runs`);
        }
        return codeOf(record, attached);
    }
}

function codeOf({ exitCode }: JobProgress, attached: number): number {
    return exitCode ?? (KILLED.includes(attached) ? 1 : attached);
}
