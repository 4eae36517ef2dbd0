import type { PodRun } from "../model";
import type { PodStep } from "./states";

/** A step of a pod's life, from one time to another. */
export interface Span {
    readonly step: PodStep;
    readonly from: number;
    readonly to: number;
}

/** The steps of a pod's life in their order. The last one lasts until now if the pod has not ended. */
export function stepsOf({ createdAt, endedAt, joinedAt, scheduledAt, startedAt }: PodRun, now: number): Span[] {
    const end = endedAt ?? now;
    // Of a pod that has ended without a known join, only its start is known.
    const isUnknown = endedAt !== undefined && joinedAt === undefined;
    const begins = [createdAt, scheduledAt, startedAt, joinedAt];
    const steps: readonly PodStep[] = ["unscheduled", "starting", isUnknown ? "unknown" : "joining", "member"];
    const spans: Span[] = [];
    for (const [index, step] of steps.entries()) {
        const from = begins[index];
        if (from === undefined) {
            continue;
        }
        const next = begins.slice(index + 1).find((time) => time !== undefined);
        spans.push({ step, from: Math.min(from, end), to: Math.min(Math.max(next ?? end, from), end) });
    }
    return spans.filter(({ from, to }) => to > from);
}
