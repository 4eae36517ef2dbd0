import { describeSeconds } from "../duration";
import type { Report } from "../engine/log";
import { retry, type Kube } from "../kube/client";
import { isTransient, sentence } from "../kube/failure";
import { findLead, type Lead } from "../pods/lead";
import { pause } from "../kube/pause";
import type { JobProgress } from "./eventlog";
import { type JobKey, Queue } from "./queue";
import type { ClusterName } from "./resource";

/** Milliseconds between looks at a cluster that isn't ready. */
export const PAUSE = 1000;
/** Seconds that one call waits for an event; nothing between here and there lets a silent connection live for ever. */
const PATIENCE = 20;
/** The same for the first one, after which there is something to report. */
const FIRST_PATIENCE = 5;

/** What a wait needs. */
export interface Waiting {
    readonly kube: Kube;
    readonly cluster: ClusterName;
    readonly report: Report;
    readonly signal: AbortSignal;
}

/** Waits while rank 0 is away, so many seconds; gives it, or tells that there is none to wait for. */
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
            throw new Error(`${lead.why}, after ${describeSeconds(timeoutSeconds)} (timeouts.ready)`);
        }
        report(`waits for MiniCluster ${namespace}/${name}: ${lead.why}`);
        await pause(PAUSE, signal);
    }
}

/** How a wait for a job ended. */
export interface Ended {
    /** Undefined where its cluster doesn't know the job any more. */
    readonly progress?: JobProgress;
    readonly output: string;
    /** Why the wait is over before the job is. */
    readonly unfinished?: "interrupted" | "timeout";
}

export interface Limits {
    readonly ready: number;
    readonly completed?: number;
    readonly maxBytes: number;
}

/** Waits for the end of a job, through losses of connections and of rank 0. */
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
    /** What was seen last. */
    readonly progress?: JobProgress;
    /** How long this look may take. */
    readonly seconds: number;
}

/** One look, which lasts until something has happened or long enough. With output where there is no more to wait for. */
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

/** Lets what may pass, pass; not for ever. */
export async function overcome(error: unknown, { report, signal }: Waiting, deadline: number): Promise<void> {
    if (!isPassing(error) || Date.now() >= deadline) {
        throw error;
    }
    report(`rank 0 does not answer (${sentence(error)}); trying again`);
    await pause(PAUSE, signal);
}

/** A pod that is just going answers in many ways; whether its cluster is still there is looked at anew. */
export function isPassing(error: unknown): boolean {
    return isTransient(error) || [404, 500].includes((error as { code?: number }).code ?? 0);
}
