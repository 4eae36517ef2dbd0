import { parseIdset, sizeOf } from "../../provider/flux/idset";
import type { Amount, Change, JobRun, Step, Usage } from "./model";

type Amounts = Omit<Step, "at">;

/** A change of one or several amounts. */
type Delta = readonly [at: number, change: Partial<Amounts>];

const NOTHING: Amounts = { waiting: 0, running: 0, busy: 0, usable: 0, ranks: 0 };

/** The queue, the used and the usable cores over time, until a time; null if nothing has happened. */
export function usageOf(
    jobs: readonly JobRun[],
    changes: readonly Change[],
    resources: readonly Amount[],
    until: number,
): Usage | null {
    const ofRanks = rankDeltas(changes, resources);
    const steps = stepsOf([...ofRanks, ...jobs.flatMap((job) => jobDeltas(job))]);
    if (steps.length === 0) {
        return null;
    }
    const begin = steps[0].at;
    const end = Math.max(until, steps[steps.length - 1].at);
    const knownSince = ofRanks[0]?.[0];
    return {
        begin,
        end,
        steps,
        utilisation: knownSince === undefined ? undefined : shareOf(steps, knownSince, end),
        coreSeconds: Math.round(areaOf(steps, begin, end, ({ busy }) => busy) / 1000),
        longestQueue: steps.reduce((longest, { waiting }) => Math.max(longest, waiting), 0),
        waits: waitsOf(jobs, end),
    };
}

function jobDeltas({ allocatedAt, cores, finishedAt, submittedAt }: JobRun): Delta[] {
    const deltas: Delta[] = [[submittedAt, { waiting: 1 }]];
    const waitedUntil = allocatedAt ?? finishedAt;
    if (waitedUntil !== undefined) {
        deltas.push([waitedUntil, { waiting: -1 }]);
    }
    if (allocatedAt !== undefined) {
        deltas.push([allocatedAt, { running: 1, busy: cores }]);
        if (finishedAt !== undefined) {
            deltas.push([finishedAt, { running: -1, busy: -cores }]);
        }
    }
    return deltas;
}

/** How the number of ranks and of their cores changes. */
function rankDeltas(changes: readonly Change[], resources: readonly Amount[]): Delta[] {
    const coresOf = coresByRank(resources);
    const deltas: Delta[] = [];
    const online = new Set<number>();
    for (const { at, ranks, name } of [...changes].sort((a, b) => a.at - b.at)) {
        const named = parseIdset(ranks);
        const joining = name === "online" || name === "restart" ? [...named].filter((rank) => !online.has(rank)) : [];
        const leaving = [...online].filter((rank) =>
            name === "restart" ? !named.has(rank) : name === "offline" && named.has(rank),
        );
        joining.forEach((rank) => online.add(rank));
        leaving.forEach((rank) => online.delete(rank));
        const cores =
            sum(joining.map((rank) => coresOf.get(rank) ?? 0)) - sum(leaving.map((rank) => coresOf.get(rank) ?? 0));
        deltas.push([at, { usable: cores, ranks: joining.length - leaving.length }]);
    }
    return deltas;
}

/** The number of cores of each rank. */
export function coresByRank(resources: readonly Amount[]): Map<number, number> {
    return new Map(
        resources.flatMap(({ cores, ranks }) => [...parseIdset(ranks)].map((rank) => [rank, sizeOf(cores)])),
    );
}

/** One step for each time at which something changes. */
function stepsOf(deltas: readonly Delta[]): Step[] {
    const steps: Step[] = [];
    let now = NOTHING;
    for (const [at, change] of [...deltas].sort(([a], [b]) => a - b)) {
        now = {
            waiting: now.waiting + (change.waiting ?? 0),
            running: now.running + (change.running ?? 0),
            busy: now.busy + (change.busy ?? 0),
            usable: now.usable + (change.usable ?? 0),
            ranks: now.ranks + (change.ranks ?? 0),
        };
        if (steps.at(-1)?.at === at) {
            steps.pop();
        }
        steps.push({ at, ...now });
    }
    // A job may end after its ranks have left, and jobs of an earlier broker ran on ranks of which nothing is known.
    return steps.map((step) => ({ ...step, usable: Math.max(step.usable, step.busy) }));
}

/** The integral of an amount over milliseconds. */
export function areaOf(steps: readonly Step[], begin: number, end: number, amount: (step: Step) => number): number {
    return sum(
        steps.map((step, index) => {
            const from = Math.max(step.at, begin);
            const to = Math.min(steps[index + 1]?.at ?? end, end);
            return to > from ? amount(step) * (to - from) : 0;
        }),
    );
}

function shareOf(steps: readonly Step[], begin: number, end: number): number | undefined {
    const usable = areaOf(steps, begin, end, (step) => step.usable);
    return usable === 0 ? undefined : areaOf(steps, begin, end, ({ busy }) => busy) / usable;
}

function waitsOf(jobs: readonly JobRun[], end: number): Usage["waits"] {
    const waits = jobs
        .map(({ allocatedAt, finishedAt, submittedAt }) => ((allocatedAt ?? finishedAt ?? end) - submittedAt) / 1000)
        .sort((a, b) => a - b);
    if (waits.length === 0) {
        return undefined;
    }
    const at = (share: number) => waits[Math.min(waits.length - 1, Math.floor(share * waits.length))];
    return { median: at(0.5), p95: at(0.95), longest: waits[waits.length - 1] };
}

function sum(numbers: readonly number[]): number {
    return numbers.reduce((total, each) => total + each, 0);
}
