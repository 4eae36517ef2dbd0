import type { CoreV1Event } from "@kubernetes/client-node";

import { ending } from "../../provider/kubernetes/job";
import { failuresOf as endFailures } from "../../provider/jobStatus/failure";
import type { Observation } from "../../provider/observe/pods/observation";
import { NO_TIMEOUTS, observed } from "../../provider/observe/pods/observed";
import { plainText } from "../../provider/observe/pods/plainText";
import { summarize } from "../../provider/observe/pods/pod";
import { isTold } from "../../provider/observe/pods/trouble";
import { troubles } from "../../provider/observe/pods/troubles";
import { lastTimeOf } from "../../provider/observe/pods/warnings";
import type { Failure, JobRun, Warned } from "./model";
import type { Source } from "./source";

/** Reasons of failed jobs that are told: the most frequent ones. */
const MOST_REASONS = 10;

/** Why the cluster, its pods and its jobs failed. */
export function failuresOf({ events, job, now, pods }: Source, jobs: readonly JobRun[]): Failure[] {
    const end = job === undefined ? undefined : ending(job);
    const seen = observed(job, pods, events, now);
    const why = end?.failed ? withColon(end.reason, end.message) : undefined;
    const ended = endFailures(why, pods.map(summarize), [], seen.ranks());
    return [...ended, ...(end === undefined ? presentTroubles(seen, now) : []), ...failedJobs(jobs)];
}

function withColon(reason: string, message: string): string {
    return message === "" ? reason : `${reason}: ${message}`;
}

/** What keeps pods from starting, or from being replaced, now. A pod that is being deleted mostly ends in time. */
function presentTroubles(seen: Observation, now: number): Failure[] {
    const found = troubles(seen, NO_TIMEOUTS).filter((each) => !each.pod?.deleting || isTold(each, now));
    return found.map(({ message, pod }) => ({
        about: pod?.name ?? "Cluster",
        message: plainText(message),
    }));
}

/** One line for all jobs that failed for the same reason. */
function failedJobs(jobs: readonly JobRun[]): Failure[] {
    const byReason = new Map<string, JobRun[]>();
    for (const job of jobs.filter(({ reason }) => reason !== undefined)) {
        const reason = job.reason ?? "";
        const known = byReason.get(reason);
        if (known === undefined) {
            byReason.set(reason, [job]);
        } else {
            known.push(job);
        }
    }
    const all = [...byReason].sort(([, a], [, b]) => b.length - a.length);
    return all.slice(0, MOST_REASONS).map(([reason, [first, ...others]]) => ({
        about: others.length === 0 ? `Job ${first.name} (${first.id})` : `${others.length + 1} jobs`,
        message: others.length === 0 ? reason : `${reason}. The first one is ${first.name} (${first.id}).`,
        at: first.finishedAt,
    }));
}

/** Kubernetes' warnings, the last ones first. Repeated ones are one row. */
export function warningsOf(events: readonly CoreV1Event[]): Warned[] {
    const rows = new Map<string, Warned>();
    for (const warned of events.filter(({ type }) => type === "Warning").map(readWarning)) {
        const key = JSON.stringify([warned.about, warned.reason, warned.message]);
        const known = rows.get(key) ?? { ...warned, count: 0 };
        rows.set(key, {
            ...warned,
            count: known.count + warned.count,
            firstAt: Math.min(known.firstAt, warned.firstAt),
            lastAt: Math.max(known.lastAt, warned.lastAt),
        });
    }
    return [...rows.values()].sort((a, b) => b.lastAt - a.lastAt);
}

function readWarning(event: CoreV1Event): Warned {
    const { firstTimestamp, involvedObject, message = "", reason = "" } = event;
    const lastAt = lastTimeOf(event) ?? 0;
    return {
        about: involvedObject.name ?? "",
        reason,
        message: plainText(message),
        count: event.count ?? event.series?.count ?? 1,
        firstAt: firstTimestamp ? new Date(firstTimestamp).getTime() : lastAt,
        lastAt,
    };
}
