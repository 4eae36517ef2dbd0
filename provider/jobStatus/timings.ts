import type { V1Job } from "@kubernetes/client-node";

import { describeSeconds } from "../contract/quantity";
import type { Pod } from "../observe/pods/pod";
import { isQueued } from "../judge/queue/queuedJob";

/**
 * Seconds from the Job's creation until its queue, if it has one, admitted it (`queued`), all pods had a node
 * (`scheduled`), all pods ran (`started`), rank 0 had its quorum (`quorum`), and the command started (`command`) and
 * ended (`ended`). Kubernetes' own times are whole seconds. A command that may be started again also has the number of
 * its last attempt (`attempts`), which isn't a time, and that attempt's start (`restarted`).
 */
export function timings(job: V1Job | undefined, ranks: readonly Pod[]): Record<string, number> {
    const created = creationOf(job);
    const times: Record<string, number | undefined> = {
        queued: isQueued(job ?? {}) ? startOf(job) : undefined,
        scheduled: latest(ranks, "scheduledAt"),
        started: latest(ranks, "startedAt"),
        ...leadTimes(ranks.find(({ rank }) => rank === 0)),
    };
    const known = Object.entries(times).filter((entry): entry is [string, number] => entry[1] !== undefined);
    const seconds = known.map(([phase, at]) => [phase, Math.max(0, Math.round((at - created) / 10) / 100)]);
    return { ...Object.fromEntries(seconds), ...attemptsOf(ranks) };
}

function attemptsOf(ranks: readonly Pod[]): Record<string, number> {
    const attempts = ranks.find(({ rank }) => rank === 0)?.terminated?.marks.attempts;
    return attempts === undefined ? {} : { attempts: Number(attempts) };
}

function leadTimes(lead: Pod | undefined): Record<string, number | undefined> {
    const marks = lead?.terminated?.marks ?? {};
    const { ended, quorum, restarted, started } = marks;
    return {
        quorum: mark(quorum) ?? lead?.readyAt,
        command: mark(started),
        restarted: mark(restarted),
        ended: mark(ended),
    };
}

function creationOf(job: V1Job | undefined): number {
    return new Date(job?.metadata?.creationTimestamp ?? 0).getTime();
}

/** When the Job could start. For a Job that was suspended or queued, this is later than its creation. */
function startOf(job: V1Job | undefined): number | undefined {
    const start = job?.status?.startTime;
    return start === undefined ? undefined : new Date(start).getTime();
}

function mark(value: string | undefined): number | undefined {
    return value === undefined ? undefined : Number(value) * 1000;
}

function latest(ranks: readonly Pod[], at: "scheduledAt" | "startedAt"): number | undefined {
    const times = ranks.map((pod) => pod[at]).filter((time) => time !== undefined);
    return times.length === 0 ? undefined : Math.max(...times);
}

/** The slowest rank to join, and the step that took longest, since the Job could start. */
export function slowestRank(job: V1Job | undefined, ranks: readonly Pod[]): string {
    const begun = startOf(job) ?? creationOf(job);
    const last = [...ranks].sort((a, b) => joinedAt(b) - joinedAt(a))[0];
    if (last?.startedAt === undefined) {
        return "";
    }
    const { name, node, scheduledAt = begun, startedAt } = last;
    const spans: [string, number][] = [
        ["waiting for a node", scheduledAt - begun],
        [`starting its container on ${node} (image pull included)`, startedAt - scheduledAt],
        ["joining", joinedAt(last) - startedAt],
    ];
    const [what] = [...spans].sort(([, a], [, b]) => b - a)[0];
    const total = (joinedAt(last) - begun) / 1000;
    return `${name}: ${describeSeconds(total)}, most of it ${what}`;
}

/** When a rank joined; for a rank that has not joined, its last known time. */
function joinedAt({ readyAt, startedAt }: Pod): number {
    return readyAt ?? startedAt ?? 0;
}
