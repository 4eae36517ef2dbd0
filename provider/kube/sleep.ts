import type { V1Job } from "@kubernetes/client-node";

import { ANNOTATIONS } from "../contract/labels";
import type { Kube } from "./client";

/** Since when a cluster sleeps that has suspended itself; undefined for every other Job. */
export function asleepSince(job: V1Job | undefined): string | undefined {
    return job?.spec?.suspend ? job.metadata?.annotations?.[ANNOTATIONS.asleep] : undefined;
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
export async function wake(kube: Kube, { metadata }: V1Job): Promise<void> {
    const { name = "", namespace = "", uid } = metadata ?? {};
    const patch = { metadata: { uid, annotations: { [ANNOTATIONS.asleep]: null } }, spec: { suspend: false } };
    await kube.patchJob(namespace, name, patch);
}
