import type { V1Job } from "@kubernetes/client-node";

import { summaryOf } from "../../provider/observe/summary";
import { slowestRank, timings } from "../../provider/jobStatus/timings";
import { isQueued } from "../../provider/judge/queue/queuedJob";
import { endOf } from "../../provider/record/record";
import { type Pod, summarize } from "../../provider/observe/pods/pod";
import { amountsOf, jobRuns, milliseconds } from "./jobRuns";
import { missingIn } from "./missing";
import type { Cluster, Report } from "./model";
import { podRuns } from "./podRuns";
import { failuresOf, warningsOf } from "./problems";
import { ranOf } from "./ran";
import { missingRuns, recordedCluster, recordedRuns, recordIn } from "./recorded";
import { resultsIn } from "./results";
import type { Source } from "./source";
import { usageOf } from "./usage";

/** The report of what was read. */
export function collect(source: Source): Report {
    const { events, job, name, now, pods } = source;
    const record = recordIn(source);
    const ranks = newest(pods.map(summarize));
    const ofFlux = fluxParts(source);
    const changes = ofFlux.changes ?? [];
    const live = podRuns(pods, events, changes, name);
    const runs = record === undefined ? live : recordedRuns(record, live);
    const cluster = record === undefined ? clusterOf(source, ranks) : recordedCluster(record);
    return {
        schemaVersion: 1,
        madeAt: now,
        cluster,
        ran: ranOf(source),
        pods: runs,
        ...ofFlux,
        ...(record === undefined && job !== undefined ? liveTimes(job, ranks) : recordedTimes(source, cluster)),
        results: resultsIn(source),
        failures: record?.failures ?? failuresOf(source, ofFlux.jobs ?? []),
        warnings: warningsOf(events),
        missing: [...missingIn(source, runs), ...(record === undefined ? [] : missingRuns(source, record, runs))],
    };
}

/** Milliseconds after the Job's creation in which the lead's first pod is created. */
const FIRST = 60_000;

/** Milliseconds between the creations of the first pods of a start. */
const TOGETHER = 5000;

type Times = Pick<Report, "attempts" | "slowest" | "startedAt" | "timings">;

function recordedTimes({ recorded }: Source, { createdAt: startedAt }: Cluster): Times {
    const { slowestRank: slowest = "", timings: { attempts, ...times } = {} } = recorded;
    return { attempts, startedAt, timings: times, slowest };
}

/** The times of the last start. A pod of an earlier one tells nothing of it. */
function liveTimes(job: V1Job, ranks: readonly Pod[]): Times {
    const startedAt = startOf(job, ranks) ?? 0;
    const since = { ...job, metadata: { ...job.metadata, creationTimestamp: new Date(startedAt) } };
    const { attempts, ...times } = timings(
        since,
        ranks.filter(({ createdAt }) => createdAt >= startedAt - TOGETHER),
    );
    return { attempts, startedAt, timings: times, slowest: slowestRank(job, ranks) };
}

/** When the cluster was started last: a Job that sleeps or is suspended has later pods. */
function startOf(job: V1Job, ranks: readonly Pod[]): number | undefined {
    const created = timeOf(job.metadata?.creationTimestamp);
    const lead = ranks.find(({ rank }) => rank === 0)?.createdAt;
    const isLater = created !== undefined && lead !== undefined && lead - created > FIRST;
    return isLater && !isQueued(job) ? lead : created;
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

function timeOf(time: Date | string | undefined): number | undefined {
    return time === undefined ? undefined : new Date(time).getTime();
}
