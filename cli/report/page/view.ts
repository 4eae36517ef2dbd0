import type { Report } from "../model";
import { type TimeAxis, timeAxis } from "./axis";

/** Margin at the left of all pictures with this axis, so that their times are below each other. */
export const MARGIN = 90;

/**
 * The time that the pictures of ranks and jobs show: from the cluster's creation to its last change. A cluster that was idle
 * for long before its first job is shown from this job on.
 */
export function viewOf(report: Report): TimeAxis {
    const end = endOf(report);
    const created = report.cluster.createdAt ?? report.pods[0]?.createdAt ?? report.madeAt;
    const first = report.jobs?.[0]?.submittedAt ?? created;
    const begin = first - created > end - first ? first - (end - first) / 20 : Math.min(created, first);
    return timeAxis(begin, end);
}

function endOf(report: Report): number {
    const { cluster, jobs, madeAt, usage } = report;
    if (cluster.endedAt !== undefined) {
        return cluster.endedAt;
    }
    const isBusy = jobs?.some(({ state }) => state === "running" || state === "waiting");
    return isBusy ? Math.max(madeAt, usage?.end ?? 0) : lastChange(report);
}

function lastChange({ changes, jobs, madeAt, pods }: Report): number {
    const times = [
        ...(jobs ?? []).map(({ finishedAt }) => finishedAt),
        ...(changes ?? []).map(({ at }) => at),
        ...pods.flatMap(({ createdAt, endedAt, joinedAt, startedAt }) => [createdAt, endedAt, joinedAt, startedAt]),
    ];
    const last = times.reduce((latest: number, time) => Math.max(latest, time ?? 0), 0);
    return last === 0 ? madeAt : last;
}
