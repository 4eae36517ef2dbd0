import { askAgent } from "./agent/agents";
import type { Part } from "./agent/agent";
import { ArrayQueue } from "./arrayQueue";
import { CALL_TIMEOUT, Calls, complaint, ofKnownJob, refusal, runsOtherwise, SUBMIT_TIMEOUT, whyOf } from "./calls";
import { noCode } from "./code/archives";
import { type JobProgress, readEventlog, readRun } from "./eventlog";
import { EXPLAIN_PROGRAM } from "./programs";
import type { JobKey, JobRequest, Run } from "./job";
import { ARRAY, END_SECONDS, NO_CODE, RUNNING, UNKNOWN_JOB } from "./protocol";
import { remainder } from "./remainder";
import type { Executed } from "../kubernetes/streams/exec";
import { submitCall } from "./script";

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
    async submit(request: JobRequest): Promise<string> {
        const done = await this.ask(submitCall(request), SUBMIT_TIMEOUT);
        const { exitCode, stdout } = done;
        const jobId = stdout.trim().split("\n").at(-1) ?? "";
        if (exitCode === ARRAY) {
            await this.removeArray(request);
            return this.submit(request);
        }
        if (exitCode === RUNNING) {
            throw new Error(runsOtherwise(`Tasks of job ${jobId}`));
        }
        if (exitCode === NO_CODE) {
            throw noCode();
        }
        if (exitCode !== 0 || jobId === "") {
            throw refusal("the job", whyOf(done));
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
        const done = await this.ask(["watch", jobId, nonce, event, String(seconds)], seconds + CALL_TIMEOUT);
        return ofKnownJob(done, `the events of job ${jobId} can't be read`);
    }

    /** The last bytes of a job's output. If Flux can't give them, the text says so. */
    async output({ jobId, nonce }: JobKey, maxBytes: number): Promise<string> {
        if (maxBytes === 0) {
            return "";
        }
        let output = "";
        const take = async ({ text = "" }: Part) => void (output = Buffer.from(text, "latin1").toString());
        const done = await this.ask(["output", jobId, nonce, String(maxBytes)], OUTPUT_TIMEOUT, take);
        if (done.exitCode === 0) {
            return output.replace(/^\uFFFD+/, "");
        }
        const isUnknown = done.exitCode === UNKNOWN_JOB;
        return unreadable(`job ${jobId}`, isUnknown ? "Flux doesn't know the job any more" : whyOf(done));
    }

    /** Cancels jobs; returns Flux' errors for those that it can't cancel. */
    async cancel(jobIds: readonly string[]): Promise<string[]> {
        const done = await this.call(["cancel", ...jobIds], CALL_TIMEOUT);
        if (done.exitCode === 0) {
            return [];
        }
        const errors = done.stderr.split("\n").filter((line) => line.includes("ERROR: "));
        const texts = errors.map((line) => line.replace(/^.*ERROR: /, "").replace(/^ƒ/, "f"));
        return texts.length > 0 ? texts : [whyOf(done)];
    }

    /** What explain.py finds out about a job, as JSON; undefined if Flux doesn't know the job. */
    async explain(jobId: string): Promise<string | undefined> {
        const done = await this.call(["explain", jobId, EXPLAIN_PROGRAM, "4096"], OUTPUT_TIMEOUT);
        return ofKnownJob(done, `job ${jobId} can't be explained`);
    }

    /** Cancels a job and removes it from Flux's history. With `guard`, it fails if the job's tasks run. */
    async remove({ jobId, nonce }: JobKey, guard?: (run: Run) => Error): Promise<void> {
        const words = ["remove", jobId, nonce, String(END_SECONDS), guard === undefined ? "allow" : "refuse"];
        const done = await this.ask(words, END_SECONDS + CALL_TIMEOUT);
        if (guard !== undefined && done.exitCode === RUNNING) {
            throw guard(readRun(done.stdout) ?? {});
        }
        ofKnownJob(done, "Flux did not remove the job");
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
