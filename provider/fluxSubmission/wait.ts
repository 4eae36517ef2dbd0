import { describeSeconds } from "../duration";
import type { Report } from "../engine/log";
import { type Kube, retry } from "../kube/client";
import { isTransient, sentence } from "../kube/failure";
import { pause } from "../kube/pause";
import { findLead, type Lead } from "../pods/lead";
import type { JobProgress } from "./eventlog";
import type { ClusterName } from "./properties";
import { type JobKey, Queue } from "./queue";

/** Milliseconds between checks of a cluster that isn't ready. */
export const PAUSE = 1000;
/** Seconds that one call waits for an event; proxies on the way close a connection that is silent for long. */
const PATIENCE = 20;
/** The same for the first call, so that the first progress line comes early. */
const FIRST_PATIENCE = 5;

/** The means of a wait. */
export interface Waiting {
    readonly kube: Kube;
    readonly cluster: ClusterName;
    readonly report: Report;
    readonly signal: AbortSignal;
}

/** Waits until rank 0 is ready, at most so many seconds. Also returns if its cluster has ended or doesn't exist. */
export async function awaitLead({ cluster, kube, report, signal }: Waiting, timeoutSeconds: number): Promise<Lead> {
    const { name, namespace, uid } = cluster;
    const deadline = Date.now() + timeoutSeconds * 1000;
    for (;;) {
        signal.throwIfAborted();
        const lead = await findLead(kube, namespace, name, uid);
        if (lead.state !== "away") {
            return lead;
        }
        if (Date.now() >= deadline) {
            const limit = `${describeSeconds(timeoutSeconds)} (timeouts.ready)`;
            throw new Error(`${lead.why}; the wait ended after ${limit}`);
        }
        report(`waits for MiniCluster ${namespace}/${name}: ${lead.why}`);
        await pause(PAUSE, signal);
    }
}

/** How a wait for a job ended. */
export interface Ended {
    /** Undefined if its cluster has no record of the job. */
    readonly progress?: JobProgress;
    readonly output: string;
    /** Why the wait ended before the job. */
    readonly unfinished?: "interrupted" | "timeout";
}

export interface Limits {
    readonly ready: number;
    readonly completed?: number;
    readonly maxBytes: number;
}

/** Waits until a job ends. The wait continues when a connection or rank 0 is lost. */
export async function awaitEnd(waiting: Waiting, key: JobKey, limits: Limits): Promise<Ended> {
    const { report, signal } = waiting;
    const started = Date.now();
    const deadline = started + (limits.completed ?? Infinity) * 1000;
    let answered = started;
    let progress: JobProgress | undefined;
    while (Date.now() < deadline) {
        try {
            const looked = await look(waiting, key, { ...limits, progress, seconds: (deadline - Date.now()) / 1000 });
            if (looked.output !== undefined) {
                return { progress: looked.progress, output: looked.output };
            }
            answered = Date.now();
            progress = looked.progress;
            const seconds = describeSeconds((answered - started) / 1000);
            report(`${key.jobId} ${progress?.phase === "running" ? "runs" : "waits for resources"} (${seconds})`);
        } catch (error) {
            if (signal.aborted) {
                return { progress, output: "", unfinished: "interrupted" };
            }
            await overcome(error, waiting, answered + limits.ready * 1000);
        }
    }
    return { progress, output: "", unfinished: "timeout" };
}

interface Look extends Limits {
    /** What the previous look returned. */
    readonly progress?: JobProgress;
    /** Longest duration of this look. */
    readonly seconds: number;
}

/**
 * Looks once at a job; lasts until an event occurs or the time is over. Returns output if the wait has nothing left to
 * do.
 */
async function look(
    waiting: Waiting,
    key: JobKey,
    { maxBytes, progress, ready, seconds }: Look,
): Promise<{ progress?: JobProgress; output?: string }> {
    const lead = await awaitLead(waiting, ready);
    if (lead.state !== "ready") {
        return { output: "" };
    }
    const queue = new Queue(waiting.kube, lead.container, waiting.signal);
    const event = progress?.phase === "running" ? "clean" : "start";
    const patience = progress === undefined ? FIRST_PATIENCE : PATIENCE;
    const now = await queue.watch(key, event, Math.min(patience, Math.max(1, Math.ceil(seconds))));
    if (now !== undefined && !now.over) {
        return { progress: now };
    }
    return { progress: now, output: now === undefined ? "" : await retry(() => queue.output(key, maxBytes)) };
}

/** Pauses after a temporary error. Throws any other error, and every error after the deadline. */
export async function overcome(error: unknown, { report, signal }: Waiting, deadline: number): Promise<void> {
    if (!isPassing(error) || Date.now() >= deadline) {
        throw error;
    }
    report(`the lead does not answer (${sentence(error)}); trying again`);
    await pause(PAUSE, signal);
}

/**
 * True for a temporary error. A pod that is ending may answer 404 or 500; the next look tells whether its cluster
 * exists.
 */
export function isPassing(error: unknown): boolean {
    return isTransient(error) || [404, 500].includes((error as { code?: number }).code ?? 0);
}
