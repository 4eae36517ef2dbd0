import { describeSeconds } from "../contract/quantity";
import { retry } from "../kubernetes/client";
import type { Container } from "../kubernetes/streams/exec";
import { sentence } from "../kubernetes/failures/failure";
import type { JobProgress } from "./eventlog";
import { awaitLead, overcome, type Waiting, wakingOnce } from "./lead";

/** Seconds that one call waits for an event; proxies on the way close a connection that is silent for long. */
const PATIENCE = 20;
/** The same for the first call, so that the first progress line comes early. */
const FIRST_PATIENCE = 5;

/** How far a job or an array is. */
export interface Progress {
    /** It is finished: its output is complete and its nodes are free. */
    readonly over: boolean;
}

/** How a wait ended. */
export interface Ended<Of extends Progress = JobProgress> {
    /** Undefined if its cluster has no record of the job. */
    readonly progress?: Of;
    readonly output: string;
    /** Why the wait ended before the job. */
    readonly unfinished?: "interrupted" | "timeout";
}

/** Follows a job or an array. */
export interface Follower<Of extends Progress> {
    /** Looks once; lasts until an event occurs or the time is over. Undefined if Flux doesn't know the job. */
    look(lead: Container, seconds: number, last: Of | undefined): Promise<Of | undefined>;
    /** What is read after the end. */
    finish(lead: Container, progress: Of): Promise<{ readonly progress: Of; readonly output: string }>;
    /** Stands in the place of an output that can't be read any more. */
    unread(why: string): string;
    /** What is known of work that its cluster has no record of. Undefined if nothing of it has ended. */
    lost(last: Of | undefined): Of | undefined;
    /** The progress line. */
    describe(progress: Of | undefined): string;
    /** Ends what it has begun for the wait. */
    close?(): Promise<void>;
}

export interface Limits {
    readonly ready: number;
    readonly completed?: number;
}

/**
 * Waits until a job ends. The wait continues when a connection or rank 0 is lost. An end that was seen stays known, also
 * if its output can't be read any more.
 */
export async function awaitEnd<Of extends Progress>(
    means: Waiting,
    follower: Follower<Of>,
    limits: Limits,
): Promise<Ended<Of>> {
    let unread: Of | undefined;
    const noting: Follower<Of> = {
        ...follower,
        async finish(lead, end) {
            unread = end;
            const finished = await follower.finish(lead, end);
            unread = undefined;
            return finished;
        },
    };
    const withoutOutput = (progress: Of, why: string) => ({ progress, output: follower.unread(why) });
    try {
        const ended = await awaitOutput(means, noting, limits);
        if (unread === undefined || ended.unfinished === "interrupted") {
            return ended;
        }
        const isLate = ended.unfinished === "timeout";
        return withoutOutput(unread, isLate ? "the time of the wait is over" : "the lead was lost before");
    } catch (error) {
        if (unread === undefined || means.signal.aborted) {
            throw error;
        }
        return withoutOutput(unread, sentence(error));
    } finally {
        await follower.close?.();
    }
}

async function awaitOutput<Of extends Progress>(
    means: Waiting,
    follower: Follower<Of>,
    limits: Limits,
): Promise<Ended<Of>> {
    const waiting = wakingOnce(means);
    const { report, signal } = waiting;
    const started = Date.now();
    const deadline = started + (limits.completed ?? Infinity) * 1000;
    let answered = started;
    let progress: Of | undefined;
    while (Date.now() < deadline) {
        try {
            const seconds = (deadline - Date.now()) / 1000;
            const looked = await look(waiting, follower, { ready: limits.ready, progress, seconds });
            if (looked.output !== undefined) {
                return { progress: looked.progress ?? follower.lost(progress), output: looked.output };
            }
            answered = Date.now();
            progress = looked.progress;
            report(`${follower.describe(progress)} (${describeSeconds((answered - started) / 1000)})`);
        } catch (error) {
            if (signal.aborted) {
                return { progress, output: "", unfinished: "interrupted" };
            }
            await overcome(error, waiting, answered + limits.ready * 1000);
        }
    }
    return { progress, output: "", unfinished: "timeout" };
}

interface Look<Of> {
    readonly ready: number;
    /** What the previous look returned. */
    readonly progress?: Of;
    /** Longest duration of this look. */
    readonly seconds: number;
}

/** Looks once at a job. Returns output if the wait has nothing left to do. */
async function look<Of extends Progress>(
    waiting: Waiting,
    follower: Follower<Of>,
    { progress, ready, seconds }: Look<Of>,
): Promise<{ progress?: Of; output?: string }> {
    const lead = await awaitLead(waiting, ready);
    if (lead.state !== "ready") {
        return { output: "" };
    }
    const patience = progress === undefined ? FIRST_PATIENCE : PATIENCE;
    const limit = Math.min(patience, Math.max(1, Math.ceil(seconds)));
    const now = await follower.look(lead.container, limit, progress);
    if (now === undefined) {
        return { output: "" };
    }
    return now.over ? retry(() => follower.finish(lead.container, now)) : { progress: now };
}
