import type { V1Job } from "@kubernetes/client-node";

import { describeSeconds } from "../duration";
import type { Pod } from "./pod";

/**
 * Seconds from the Job's creation until all pods had a node (`scheduled`), all ran (`started`), rank 0 had its quorum
 * (`quorum`), and its command began (`command`) and ended (`ended`). Kubernetes' own times are whole seconds.
 */
export function timings(job: V1Job | undefined, ranks: readonly Pod[]): Record<string, number> {
    const created = new Date(job?.metadata?.creationTimestamp ?? 0).getTime();
    const lead = ranks.find(({ rank }) => rank === 0);
    const marks = lead?.terminated?.marks ?? {};
    const times: Record<string, number | undefined> = {
        scheduled: latest(ranks, "scheduledAt"),
        started: latest(ranks, "startedAt"),
        quorum: mark(marks.quorum) ?? lead?.readyAt,
        command: mark(marks.started),
        ended: mark(marks.ended),
    };
    const known = Object.entries(times).filter((entry): entry is [string, number] => entry[1] !== undefined);
    return Object.fromEntries(known.map(([phase, at]) => [phase, Math.max(0, Math.round((at - created) / 10) / 100)]));
}

function mark(value: string | undefined): number | undefined {
    return value === undefined ? undefined : Number(value) * 1000;
}

function latest(ranks: readonly Pod[], at: "scheduledAt" | "startedAt"): number | undefined {
    const times = ranks.map((pod) => pod[at]).filter((time) => time !== undefined);
    return times.length === 0 ? undefined : Math.max(...times);
}

/** Which rank the others waited for, and with what it was busy. */
export function slowestRank(job: V1Job | undefined, ranks: readonly Pod[]): string {
    const created = new Date(job?.metadata?.creationTimestamp ?? 0).getTime();
    const last = [...ranks].sort((a, b) => (b.readyAt ?? b.startedAt ?? 0) - (a.readyAt ?? a.startedAt ?? 0))[0];
    if (last?.startedAt === undefined) {
        return "";
    }
    const { name, node, scheduledAt, startedAt } = last;
    const spans: [string, number][] = [
        ["waiting for a node", (scheduledAt ?? created) - created],
        [`starting its container on ${node} (image pull included)`, startedAt - (scheduledAt ?? created)],
        ["joining", (last.readyAt ?? startedAt) - startedAt],
    ];
    const [what] = [...spans].sort(([, a], [, b]) => b - a)[0];
    const total = ((last.readyAt ?? startedAt) - created) / 1000;
    return `${name}: ${describeSeconds(total)}, most of it ${what}`;
}
