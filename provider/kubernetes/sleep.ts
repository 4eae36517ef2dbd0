import type { V1Job, V1Pod } from "@kubernetes/client-node";

import { ANNOTATIONS, ELASTIC_GATE, QUEUE_LABEL } from "../contract/labels";
import type { Kube } from "./client";

/**
 * True if no pod of the Job may run: it is suspended, or has no size. Kueue resumes a suspended Job that it has admitted,
 * so a cluster in a queue sleeps by giving up all its pods.
 */
export function isHeld({ spec }: V1Job): boolean {
    return spec?.suspend === true || hasNoPods({ spec });
}

function hasNoPods({ spec }: V1Job): boolean {
    return spec?.parallelism === 0 && spec.completions !== 0;
}

/** Why no pod of a held Job runs: it sleeps, a queue of Kueue holds it, or a user or another client does. */
export function heldBy(job: V1Job): "asleep" | "queued" | "suspended" {
    if (asleepSince(job) !== undefined) {
        return "asleep";
    }
    return job.metadata?.labels?.[QUEUE_LABEL] === undefined ? "suspended" : "queued";
}

/** Since when a cluster sleeps that has put itself to sleep; undefined for every other Job. */
export function asleepSince(job: V1Job | undefined): string | undefined {
    return job !== undefined && isHeld(job) ? job.metadata?.annotations?.[ANNOTATIONS.asleep] : undefined;
}

/** The fields of the spec that wake a Job which sleeps. In a queue, Kueue decides on the suspension. */
export function wakingFields(job: V1Job): { readonly parallelism?: number; readonly suspend?: boolean } {
    return hasNoPods(job) ? { parallelism: job.spec?.completions } : { suspend: false };
}

/** True for a pod that its queue hasn't admitted yet: of a Job that wakes or grows in a queue. */
export function isGated({ spec }: V1Pod): boolean {
    return spec?.schedulingGates?.some(({ name }) => name === ELASTIC_GATE) ?? false;
}

/** Why a cluster that sizes itself has its size, as it says itself. */
export interface Sizing {
    readonly size: number;
    /** Ranks that its jobs need. */
    readonly want: number;
    readonly why: string;
}

export function sizingOf({ metadata }: V1Job): Sizing | undefined {
    const text = metadata?.annotations?.[ANNOTATIONS.elastic];
    return text === undefined ? undefined : (JSON.parse(text) as Sizing);
}

/** Resumes a Job that sleeps. The UID keeps the API server from waking another Job of the same name. */
export async function wake(kube: Kube, job: V1Job): Promise<void> {
    const { name = "", namespace = "", uid } = job.metadata ?? {};
    const patch = { metadata: { uid, annotations: { [ANNOTATIONS.asleep]: null } }, spec: wakingFields(job) };
    await kube.patchJob(namespace, name, patch);
}
