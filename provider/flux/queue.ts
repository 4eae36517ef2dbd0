import { askAgent } from "./agent/agents";
import type { Part } from "./agent/agent";
import { ArrayQueue } from "./arrayQueue";
import {
    ARRAY,
    CALL_TIMEOUT,
    Calls,
    complaint,
    END_TIMEOUT,
    NO_CODE,
    refusal,
    RUNNING,
    runsOtherwise,
    SUBMIT_TIMEOUT,
} from "./calls";
import { CodeArchives, noCode, withCode } from "./codeArchives";
import { type JobProgress, readEventlog, readRun } from "./eventlog";
import { EXPLAIN_PROGRAM } from "./programs";
import type { JobKey, JobRequest, Run } from "./job";
import { remainder } from "./remainder";
import type { Executed } from "../kubernetes/streams/exec";
import { submitCall } from "./script";

/** Exit code for a job that Flux doesn't know. */
export const UNKNOWN_JOB = 64;

/** Seconds of a call that reads an output. */
const OUTPUT_TIMEOUT = 2 * CALL_TIMEOUT;

/** The cure for a job that no state has. */
const SWEEP_CURE = "Wait until it ends, or cancel it with npx flux-minicluster cancel";

/** Stands in the place of an output that can't be read, which is not the job's failure. */
export function unreadable(what: string, why: string): string {
    return `(the output of ${what} can't be read: ${why})\n`;
}

/** True for such words. */
export function isUnreadable(output: string): boolean {
    return /^\(the output of .* can't be read: .*\)\n$/s.test(output);
}

/** The calls to Flux on rank 0 of a cluster. Each of them may be repeated. */
export class Queue extends Calls {
    /** Submits the job unless it has been submitted; returns its id. */
    submit(request: JobRequest): Promise<string> {
        const { kube, lead, signal } = this;
        return withCode(new CodeArchives(kube, lead, signal), request.code, () => this.submitOnce(request));
    }

    private async submitOnce(request: JobRequest): Promise<string> {
        const { exitCode, stderr, stdout } = await this.ask(submitCall(request), SUBMIT_TIMEOUT);
        const jobId = stdout.trim().split("\n").at(-1) ?? "";
        if (exitCode === ARRAY) {
            await this.removeArray(request);
            return this.submitOnce(request);
        }
        if (exitCode === RUNNING) {
            throw new Error(runsOtherwise(`Tasks of job ${jobId}`));
        }
        if (exitCode === NO_CODE) {
            throw noCode();
        }
        if (exitCode !== 0 || jobId === "") {
            throw refusal("the job", complaint(stderr) || `exit code ${exitCode}`);
        }
        return jobId;
    }

    /** Removes an array that an interrupted update has submitted in the place of a job. */
    private async removeArray(request: JobRequest): Promise<void> {
        const check = remainder();
        const runs = () => new Error(runsOtherwise("Elements of an array"));
        const guard = request.interrupt === "allow" ? undefined : runs;
        for (let left = await this.arrays.remove(request, guard); left > 0; left = await this.arrays.remove(request)) {
            check(left);
        }
    }

    /**
     * Waits for an event, at most so many seconds, then tells how far the job is; undefined if Flux doesn't know the
     * job.
     */
    async watch(key: JobKey, event: string, seconds: number): Promise<JobProgress | undefined> {
        const log = await this.eventlog(key, event, seconds);
        return log === undefined ? undefined : readEventlog(log);
    }

    /** Tells since when a job's tasks run; undefined if none runs. */
    async run(key: JobKey): Promise<Run | undefined> {
        return readRun((await this.eventlog(key, "", 0)) ?? "");
    }

    private async eventlog({ jobId, nonce }: JobKey, event: string, seconds: number): Promise<string | undefined> {
        const call = ["watch", jobId, nonce, event, String(seconds)];
        const { exitCode, stderr, stdout } = await this.ask(call, seconds + CALL_TIMEOUT);
        if (exitCode === UNKNOWN_JOB) {
            return undefined;
        }
        if (exitCode !== 0) {
            throw new Error(`the events of job ${jobId} can't be read: ${complaint(stderr)}`);
        }
        return stdout;
    }

    /** The last bytes of a job's output. If Flux can't give them, the text says so. */
    async output({ jobId, nonce }: JobKey, maxBytes: number): Promise<string> {
        if (maxBytes === 0) {
            return "";
        }
        let output = "";
        const take = async ({ text = "" }: Part) => void (output = Buffer.from(text, "latin1").toString());
        const { exitCode, stderr } = await this.ask(["output", jobId, nonce, String(maxBytes)], OUTPUT_TIMEOUT, take);
        if (exitCode === 0) {
            return output.replace(/^\uFFFD+/, "");
        }
        const why = exitCode === UNKNOWN_JOB ? "Flux doesn't know the job any more" : complaint(stderr);
        return unreadable(`job ${jobId}`, why || `exit code ${exitCode}`);
    }

    /** Cancels jobs; returns Flux' errors for those that it can't cancel. */
    async cancel(jobIds: readonly string[]): Promise<string[]> {
        const { exitCode, stderr } = await this.call(["cancel", ...jobIds], CALL_TIMEOUT);
        if (exitCode === 0) {
            return [];
        }
        const errors = stderr.split("\n").filter((line) => line.includes("ERROR: "));
        const texts = errors.map((line) => line.replace(/^.*ERROR: /, "").replace(/^ƒ/, "f"));
        return texts.length > 0 ? texts : [complaint(stderr) || `exit code ${exitCode}`];
    }

    /** What explain.py finds out about a job, as JSON; undefined if Flux doesn't know the job. */
    async explain(jobId: string): Promise<string | undefined> {
        const { exitCode, stderr, stdout } = await this.call(
            ["explain", jobId, EXPLAIN_PROGRAM, "4096"],
            OUTPUT_TIMEOUT,
        );
        if (exitCode === UNKNOWN_JOB) {
            return undefined;
        }
        if (exitCode !== 0) {
            throw new Error(`job ${jobId} can't be explained: ${complaint(stderr) || `exit code ${exitCode}`}`);
        }
        return stdout;
    }

    /** Cancels a job and removes it from Flux's history. With `guard`, it fails if the job's tasks run. */
    async remove({ jobId, nonce }: JobKey, guard?: (run: Run) => Error): Promise<void> {
        const words = ["remove", jobId, nonce, String(END_TIMEOUT), guard === undefined ? "allow" : "refuse"];
        const { exitCode, stderr, stdout } = await this.ask(words, END_TIMEOUT + CALL_TIMEOUT);
        if (guard !== undefined && exitCode === RUNNING) {
            throw guard(readRun(stdout) ?? {});
        }
        if (exitCode !== 0 && exitCode !== UNKNOWN_JOB) {
            throw new Error(`Flux did not remove the job: ${complaint(stderr)}`);
        }
    }

    /**
     * Cancels and removes the job or the array with this nonce, if Flux has one; with the guard `refuse` not if it runs.
     * Returns the number of elements that are left.
     */
    async sweep(nonce: string, jobName: string, guard: "allow" | "refuse"): Promise<number> {
        const { exitCode, stderr } = await this.ask(["sweep", nonce, jobName, guard], SUBMIT_TIMEOUT);
        const runs = () => new Error(`it is running. ${SWEEP_CURE}`);
        if (exitCode === ARRAY) {
            return this.arrays.remove({ jobName, nonce }, guard === "allow" ? undefined : runs);
        }
        if (exitCode === RUNNING) {
            throw runs();
        }
        if (exitCode !== 0) {
            throw new Error(`Flux did not remove it: ${complaint(stderr)}. ${SWEEP_CURE}`);
        }
        return 0;
    }

    private get arrays(): ArrayQueue {
        return new ArrayQueue(this.kube, this.lead, this.signal);
    }

    private ask(words: readonly string[], seconds: number, take?: (part: Part) => Promise<void>): Promise<Executed> {
        return askAgent(this.kube, this.lead, { words, seconds, signal: this.signal, take });
    }
}
