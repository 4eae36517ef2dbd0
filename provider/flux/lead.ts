import { describeSeconds } from "../contract/quantity";
import type { Report } from "../host/log";
import type { Kube } from "../kubernetes/client";
import { isTransient, sentence } from "../kubernetes/failures/failure";
import { pause } from "../kubernetes/pause";
import { pauseAfter } from "../kubernetes/retry";
import type { Persistence } from "../kubernetes/persist";
import { wake } from "../kubernetes/sleep";
import type { KnownJob } from "../observe/job";
import { findLead, type Lead } from "../observe/pods/lead";

/** Milliseconds between checks of a cluster that isn't ready. */
export const PAUSE = 1000;
/** The means of a wait. */
export interface Waiting {
    readonly kube: Kube;
    readonly cluster: KnownJob;
    readonly report: Report;
    readonly signal: AbortSignal;
    /** Name of the argument that limits the time until the lead is ready. */
    readonly limit?: string;
    /** False if a cluster that sleeps may not be woken any more. */
    mayWake?(): boolean;
    /** What the error then says. @default that the job can't start */
    readonly asleep?: string;
    /** Goes on at another address that the kubeconfig has by now, if this cluster is there. */
    follow?(cluster: KnownJob): Promise<void>;
}

/** Wakes a cluster that sleeps only once, because a cluster that sleeps again has nothing to run. */
export function wakingOnce(waiting: Waiting): Waiting {
    let left = 1;
    return { ...waiting, mayWake: () => left-- > 0 };
}

const ASLEEP_AGAIN =
    "the cluster sleeps again, because the job can't start: it is held, or its queue is stopped. The job stays queued";

/** Waits until rank 0 is ready, at most so many seconds. Fails if its cluster has ended or doesn't exist. */
export async function leadFor(
    waiting: Waiting,
    timeoutSeconds: number,
): Promise<Extract<Lead, { readonly state: "ready" }>> {
    const lead = await awaitLead(waiting, timeoutSeconds);
    if (lead.state !== "ready") {
        const isEnded = lead.state === "ended";
        throw new Error(isEnded ? "the cluster has ended and takes no jobs" : "the cluster does not exist");
    }
    return lead;
}

/**
 * Waits until the lead is ready, at most so many seconds, and wakes its cluster if it sleeps. Also returns if the cluster
 * has ended or doesn't exist. Fails if that can't be known.
 */
export async function awaitLead(waiting: Waiting, timeoutSeconds: number): Promise<Lead> {
    const { asleep = ASLEEP_AGAIN, cluster, kube, limit, mayWake, report, signal } = waiting;
    const { name, namespace } = cluster;
    const deadline = Date.now() + timeoutSeconds * 1000;
    for (;;) {
        signal.throwIfAborted();
        const lead = await findLead(kube, cluster);
        if (lead.state === "unknown") {
            throw new Error(`${lead.why}. Give the kubeconfig and the context of the MiniCluster's Kubernetes cluster`);
        }
        if (lead.state !== "away") {
            return lead;
        }
        if (lead.asleep !== undefined) {
            if (mayWake?.() === false) {
                throw new Error(asleep);
            }
            report(`wakes MiniCluster ${namespace}/${name}`);
            await wake(kube, lead.asleep);
            continue;
        }
        if (Date.now() >= deadline) {
            const after = `${describeSeconds(timeoutSeconds)}${limit === undefined ? "" : ` (${limit})`}`;
            throw new Error(`${lead.why}; the wait ended after ${after}`);
        }
        report(`waits for MiniCluster ${namespace}/${name}: ${lead.why}`);
        await pause(PAUSE, signal);
    }
}

/** Repeats a call of the lead after temporary errors, for so many milliseconds. */
export function patiently(waiting: Waiting, patience: number): Persistence {
    const { cluster, report, signal } = waiting;
    const tell = async (error: unknown) => {
        report(`the lead does not answer (${sentence(error)}); trying again`);
        await waiting.follow?.(cluster);
    };
    return { patience, pause: PAUSE, signal, isPassing, tell };
}

/** Pauses after a temporary error. Throws any other error, and every error after the deadline. */
export async function overcome(error: unknown, waiting: Waiting, deadline: number): Promise<void> {
    if (!isPassing(error) || Date.now() >= deadline) {
        throw error;
    }
    await patiently(waiting, 0).tell(error);
    await pause(pauseAfter(error, PAUSE), waiting.signal);
}

/**
 * True for a temporary error. A pod that is ending may answer 404 or 500; the next look tells whether its cluster
 * exists.
 */
export function isPassing(error: unknown): boolean {
    return isTransient(error) || [404, 500].includes((error as { code?: number }).code ?? 0);
}
