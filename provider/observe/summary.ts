import type { V1Job } from "@kubernetes/client-node";

import { labelsOf } from "../contract/labels";
import { FLUX_CONTAINER } from "../contract/names";
import { ending } from "../kubernetes/job";
import { heldBy, isHeld } from "../kubernetes/sleep";

/** The label by which the Job of a MiniCluster is known. */
const LABEL = "app.kubernetes.io/name";

/** Selects the Jobs of all MiniClusters. */
export const CLUSTERS = `${LABEL}=${labelsOf("")[LABEL]}`;

export function isCluster({ metadata }: V1Job): boolean {
    return metadata?.labels?.[LABEL] === labelsOf("")[LABEL];
}

/** A MiniCluster as its Job alone describes it. */
export interface Summary {
    readonly name: string;
    readonly namespace: string;
    readonly uid: string;
    readonly phase: string;
    /** Number of ranks that are ready. */
    readonly ready: number;
    readonly size: number;
    /** ISO 8601. */
    readonly createdAt: string;
}

/** False for a persistent cluster. */
export function hasCommand({ spec }: V1Job): boolean {
    const container = spec?.template?.spec?.containers.find(({ name }) => name === FLUX_CONTAINER);
    return (container?.args ?? []).length > 0;
}

export function summaryOf(job: V1Job): Summary {
    const { creationTimestamp = 0, name = "", namespace = "", uid = "" } = job.metadata ?? {};
    const { ready, size } = countsOf(job);
    const createdAt = new Date(creationTimestamp).toISOString();
    return { name, namespace, uid, phase: phaseOf(job), ready, size, createdAt };
}

function phaseOf(job: V1Job): string {
    const end = ending(job);
    if (end !== undefined) {
        return end.failed ? "failed" : "succeeded";
    }
    if (isHeld(job)) {
        return heldBy(job);
    }
    const { ready, size } = countsOf(job);
    return ready >= size ? "ready" : "starting";
}

function countsOf({ spec, status }: V1Job): { readonly ready: number; readonly size: number } {
    return { ready: status?.ready ?? 0, size: spec?.parallelism ?? 1 };
}
