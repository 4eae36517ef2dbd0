import { type JobProgress, readEventlog } from "../flux/eventlog";
import { FollowedOutput, followOutput } from "../flux/followedOutput";
import type { JobKey } from "../flux/job";
import { isPassing } from "../flux/lead";
import type { Kube } from "../kubernetes/client";
import type { Container } from "../kubernetes/streams/exec";
import { sentence } from "../kubernetes/failures/failure";
import { pause } from "../kubernetes/pause";
import type { LiveOutput } from "../observe/live/liveOutput";
import type { Shown } from "../observe/live/shown";
import { readProgramProgress } from "../observe/live/progress";

/** Seconds between two looks of the lead at the output: of all lines, and of the last one. */
const [SECONDS, SELDOM] = [2, 10];
/** Bytes of the end of the output in which the last line is. */
const END = 1024;

/** What is shown of a job while an update waits. */
export interface JobView extends Shown {
    readonly live: LiveOutput;
    /** Resolves when the lines are printed, or by the signal. */
    flush(cancel: AbortSignal): Promise<void>;
}

/** A job that runs, of which one connection at a time shows the output until its end. */
export class FollowedJob {
    private readonly over = new AbortController();
    private readonly output: FollowedOutput;
    private connection: Promise<JobProgress | undefined> | undefined;
    private isReadable = true;

    constructor(
        private readonly kube: Kube,
        private readonly key: JobKey,
        private readonly view: JobView,
        private readonly signal: AbortSignal,
    ) {
        const { live } = view;
        this.output = new FollowedOutput({
            show: async (_stream, bytes) => live.take(bytes),
            tell: (what, bytes) => (what === "end" ? live.setEnd(bytes) : this.setProgress(bytes)),
        });
    }

    /**
     * Waits for the job's end, at most so many seconds. Undefined if Flux doesn't know the job. If the output can't be read,
     * `otherwise` waits for the end.
     */
    async look(
        lead: Container,
        seconds: number,
        otherwise: () => Promise<JobProgress | undefined>,
    ): Promise<JobProgress | undefined> {
        if (!this.isReadable) {
            return otherwise();
        }
        this.connection ??= this.connect(lead);
        const waited = new AbortController();
        const running: JobProgress = { phase: "running", over: false };
        try {
            const later = pause(seconds * 1000, waited.signal).then(() => running);
            const now = await Promise.race([this.connection, later]);
            if (now?.over !== false) {
                return now;
            }
            this.connection = now === running ? this.connection : undefined;
            return { ...now, told: this.view.live.progress ?? now.told };
        } catch (error) {
            this.connection = undefined;
            if (this.signal.aborted || isPassing(error)) {
                throw error;
            }
            this.isReadable = false;
            this.view.live.note(`the output can't be shown: ${sentence(error)}`);
            return otherwise();
        } finally {
            waited.abort();
        }
    }

    /** Ends the connection, and prints what has come. */
    async close(): Promise<void> {
        this.over.abort();
        this.view.live.end();
        await this.view.flush(this.signal);
    }

    private connect(lead: Container): Promise<JobProgress | undefined> {
        const { isHidden, isStreamed } = this.view;
        const { jobId, nonce } = this.key;
        const words = isStreamed
            ? ["follow", jobId, nonce, ...this.output.position, String(SECONDS)]
            : ["watch_output", jobId, nonce, String(isHidden ? 0 : END), String(SELDOM)];
        const signal = AbortSignal.any([this.signal, this.over.signal]);
        const connection = followOutput(this.kube, lead, this.output, { words, signal }).then(
            (events) => events && readEventlog(events),
        );
        // It may fail between two looks.
        connection.catch(() => undefined);
        return connection as Promise<JobProgress | undefined>;
    }

    private setProgress(bytes: Buffer): void {
        const progress = readProgramProgress(bytes.toString());
        if (progress !== undefined) {
            this.view.live.setProgress(progress);
        }
    }
}
