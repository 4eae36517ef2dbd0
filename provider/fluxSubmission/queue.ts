import type { Kube } from "../kube/client";
import { type Container, execute, type Executed } from "../kube/exec";
import { type JobProgress, readEventlog } from "./eventlog";
import type { FluxSubmissionInputs } from "./properties";
import { scriptWith, submitCall } from "./script";

/** Exit codes of job.sh. */
const UNKNOWN_JOB = 64;
const NO_BROKER = 65;

/** Seconds that a cancelled job has to end; Flux kills it before they are over. */
const END_TIMEOUT = 60;

/** Seconds that a call has in addition to its wait for Flux: for its connection and for a busy rank 0. */
const CALL_TIMEOUT = 30;

/** Seconds of a submission. It may wait for another submission of the same job, and each may remove a job first. */
const SUBMIT_TIMEOUT = 2 * END_TIMEOUT + CALL_TIMEOUT;

/** The cure if a job of `after` has ended and the state doesn't know it. */
const ENDED_BEFORE = "pulumi up --refresh records the end of that job, and submits it again if it has failed";

/** A Flux job, and the nonce of the FluxTicket that it belongs to. */
export interface JobKey {
    readonly jobId: string;
    readonly nonce: string;
}

/** The calls to Flux on rank 0 of a cluster. Each of them may be repeated. */
export class Queue {
    constructor(
        private readonly kube: Kube,
        private readonly lead: Container,
        private readonly signal: AbortSignal,
    ) {}

    /** Submits the job unless it has been submitted; returns its id. */
    async submit(inputs: FluxSubmissionInputs): Promise<string> {
        const { exitCode, stderr, stdout } = await this.run(submitCall(inputs), SUBMIT_TIMEOUT);
        const jobId = stdout.trim().split("\n").at(-1) ?? "";
        if (exitCode !== 0 || jobId === "") {
            const why = complaint(stderr) || `exit code ${exitCode}`;
            const cure = why.includes("dependency: after") ? `; ${ENDED_BEFORE}` : "";
            throw new Error(`Flux did not accept the job: ${why}${cure}`);
        }
        return jobId;
    }

    /**
     * Waits for an event, at most so many seconds, then tells how far the job is; undefined if Flux doesn't know the
     * job.
     */
    async watch({ jobId, nonce }: JobKey, event: string, seconds: number): Promise<JobProgress | undefined> {
        const { exitCode, stderr, stdout } = await this.run(
            ["watch", jobId, nonce, event, String(seconds)],
            seconds + CALL_TIMEOUT,
        );
        if (exitCode === UNKNOWN_JOB) {
            return undefined;
        }
        if (exitCode !== 0) {
            throw new Error(`the events of job ${jobId} can't be read: ${complaint(stderr)}`);
        }
        return readEventlog(stdout);
    }

    /** The last bytes of a job's output. */
    async output({ jobId, nonce }: JobKey, maxBytes: number): Promise<string> {
        if (maxBytes === 0) {
            return "";
        }
        return (await this.run(["output", jobId, nonce, String(maxBytes)], CALL_TIMEOUT)).stdout.replace(
            /^\uFFFD+/,
            "",
        );
    }

    /** Cancels a job and removes it from Flux's history. */
    async remove({ jobId, nonce }: JobKey): Promise<void> {
        const { exitCode, stderr } = await this.run(
            ["remove", jobId, nonce, String(END_TIMEOUT)],
            END_TIMEOUT + CALL_TIMEOUT,
        );
        if (exitCode !== 0 && exitCode !== UNKNOWN_JOB) {
            throw new Error(`Flux did not remove the job: ${complaint(stderr)}`);
        }
    }

    private async run(call: readonly string[], seconds: number): Promise<Executed> {
        const done = await execute(this.kube, this.lead, {
            command: ["bash", "-s"],
            input: scriptWith(call),
            seconds,
            signal: this.signal,
        });
        if (done.exitCode === NO_BROKER) {
            throw Object.assign(new Error(complaint(done.stderr)), { code: "ECONNREFUSED" });
        }
        if (done.exitCode === 127 && done.stderr.includes("flock")) {
            throw new Error("the image has no flock, which FluxJob needs; add util-linux to the image");
        }
        return done;
    }
}

/** The error of Flux in a command's standard error, into which other programs may write too. */
function complaint(stderr: string): string {
    const lines = stderr
        .split("\n")
        .map((line) => line.trim())
        .filter((line) => line !== "");
    const errors = lines.filter((line) => /error/i.test(line));
    return (errors.length > 0 ? errors : lines.slice(-3)).join(" ").replace(/^flux-\w+: ERROR: /, "");
}
