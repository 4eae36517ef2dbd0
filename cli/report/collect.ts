import type { V1Job } from "@kubernetes/client-node";

import { ending } from "../../provider/kubernetes/job";
import { summaryOf } from "../../provider/observe/summary";
import { slowestRank, timings } from "../../provider/jobStatus/timings";
import { isQueued } from "../../provider/judge/queue/queuedJob";
import { type Pod, summarize } from "../../provider/observe/pods/pod";
import { amountsOf, jobRuns, milliseconds } from "./jobRuns";
import { missingIn } from "./missing";
import type { Cluster, Report } from "./model";
import { podRuns } from "./podRuns";
import { failuresOf, warningsOf } from "./problems";
import { ranOf } from "./ran";
import { resultsIn } from "./results";
import type { Source } from "./source";
import { usageOf } from "./usage";

/** The report of what was read. */
export function collect(source: Source): Report {
    const { events, job, name, now, pods } = source;
    const ranks = newest(pods.map(summarize));
    const ofFlux = fluxParts(source);
    const changes = ofFlux.changes ?? [];
    const runs = podRuns(pods, events, changes, name);
    const startedAt = startOf(job, ranks);
    const { attempts, ...times } = job === undefined ? (source.recorded.timings ?? {}) : timesOf(job, ranks, startedAt);
    return {
        schemaVersion: 1,
        madeAt: now,
        cluster: clusterOf(source, ranks),
        ran: ranOf(source),
        pods: runs,
        ...ofFlux,
        attempts,
        startedAt,
        timings: times,
        slowest: slowestRank(job, ranks) || (source.recorded.slowestRank ?? ""),
        results: resultsIn(source),
        failures: failuresOf(source, ofFlux.jobs ?? []),
        warnings: warningsOf(events),
        missing: missingIn(source, runs),
    };
}

/** Milliseconds after the Job's creation in which the lead's first pod is created. */
const FIRST = 60_000;

/** Milliseconds between the creations of the first pods of a start. */
const TOGETHER = 5000;

/** When the cluster was started last: a Job that sleeps or is suspended has later pods. */
function startOf(job: V1Job | undefined, ranks: readonly Pod[]): number | undefined {
    const created = timeOf(job?.metadata?.creationTimestamp);
    const lead = ranks.find(({ rank }) => rank === 0)?.createdAt;
    const isLater = created !== undefined && lead !== undefined && lead - created > FIRST;
    return isLater && !isQueued(job ?? {}) ? lead : created;
}

/** The times of the last start. A pod of an earlier one tells nothing of it. */
function timesOf(job: V1Job, ranks: readonly Pod[], startedAt = 0): Record<string, number> {
    const since = { ...job, metadata: { ...job.metadata, creationTimestamp: new Date(startedAt) } };
    return timings(
        since,
        ranks.filter(({ createdAt }) => createdAt >= startedAt - TOGETHER),
    );
}

/** What only Flux knows. */
function fluxParts({ history }: Source): Pick<Report, "changes" | "jobCount" | "jobs" | "resources" | "usage"> {
    if (history === undefined) {
        return { changes: null, resources: [], jobs: null, jobCount: null, usage: null };
    }
    const changes = history.changes.map(({ at, ...change }) => ({ ...change, at: milliseconds(at) }));
    const resources = amountsOf(history.resources ?? []);
    const jobs = jobRuns(history.jobs);
    const usage = usageOf(jobs, changes, resources, milliseconds(history.now));
    return { changes, resources, jobs, jobCount: history.count, usage };
}

/** The newest pod of each rank. */
function newest(pods: readonly Pod[]): Pod[] {
    const byRank = new Map<number, Pod>();
    for (const pod of [...pods].sort((a, b) => a.createdAt - b.createdAt)) {
        byRank.set(pod.rank, pod);
    }
    return [...byRank.values()].sort((a, b) => a.rank - b.rank);
}

function clusterOf({ job, name, namespace, recorded }: Source, ranks: readonly Pod[]): Cluster {
    const exitCode = ranks.find(({ rank }) => rank === 0)?.terminated?.exitCode ?? recorded.exitCode ?? undefined;
    if (job === undefined) {
        const size = Object.keys(recorded.nodes ?? {}).length;
        const { phase = "unknown", uid = "" } = recorded;
        return { name, namespace, uid, phase, size, exitCode };
    }
    const { createdAt, phase, size, uid } = summaryOf(job);
    const times = { createdAt: timeOf(createdAt), startedAt: timeOf(job.status?.startTime), endedAt: endOf(job) };
    return { name, namespace, uid, phase, size, ...times, exitCode };
}

function endOf(job: V1Job): number | undefined {
    const last = job.status?.conditions?.find(({ type }) => type === "Failed" || type === "Complete");
    return ending(job) === undefined ? undefined : timeOf(job.status?.completionTime ?? last?.lastTransitionTime);
}

function timeOf(time: Date | string | undefined): number | undefined {
    return time === undefined ? undefined : new Date(time).getTime();
}
