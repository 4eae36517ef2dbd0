import type { RecordedRank, RunRecord } from "../../provider/contract/record/runRecord";
import { formatIdset } from "../../provider/flux/idset";
import { endState } from "../target/ranks";
import type { Cluster, PodRun } from "./model";
import type { Source } from "./source";

/** The record of a run that has ended, if a stack has one. A secret output is a text. */
export function recordIn({ recorded }: Pick<Source, "recorded">): RunRecord | undefined {
    const { record } = recorded;
    return typeof record === "object" ? (record ?? undefined) : undefined;
}

export function recordedCluster({ createdAt, endedAt, exitCode, startedAt, ...run }: RunRecord): Cluster {
    const { name, namespace, phase, size = 0, uid } = run;
    const times = { createdAt: timeOf(createdAt), startedAt: timeOf(startedAt), endedAt: timeOf(endedAt) };
    return { name, namespace, uid, phase, size, ...times, exitCode };
}

/** The pods of a record. Of those that Kubernetes or its Events still know, what the record doesn't have. */
export function recordedRuns(record: RunRecord, live: readonly PodRun[]): PodRun[] {
    const known = new Map(live.map(({ isGone: _, ...run }) => [run.name, run]));
    const recorded = record.ranks.map((rank) => {
        const run = podRun(rank, timeOf(record.createdAt) ?? 0);
        return { ...known.get(rank.pod), ...run, ...(run.endedAt === undefined ? endIn(known.get(rank.pod)) : {}) };
    });
    const names = new Set(record.ranks.map(({ pod }) => pod));
    const others = live.filter(({ name }) => !names.has(name));
    return [...recorded, ...others].sort((a, b) => a.rank - b.rank || a.createdAt - b.createdAt);
}

/** What neither the record nor Kubernetes has. */
export function missingRuns({ job }: Source, record: RunRecord, runs: readonly PodRun[]): string[] {
    const running = runs.filter(({ endedAt }) => endedAt === undefined).map(({ rank }) => rank);
    const ends = `The ends of the pods of ranks ${formatIdset(running)}: they still ran when the update saw the command's end.`;
    const missing = job === undefined ? record.missing.map((line) => `The record of the run: ${line}.`) : [];
    return [...(running.length === 0 ? [] : [ends]), ...missing];
}

function podRun({ pod, rank, ...known }: RecordedRank, origin: number): PodRun {
    const at = (seconds: number) => origin + Math.round(seconds * 1000);
    const entries = Object.entries({
        scheduledAt: known.scheduled,
        startedAt: known.started,
        joinedAt: known.joined,
        endedAt: known.ended,
    }).flatMap(([name, seconds]) => (seconds === undefined ? [] : [[name, at(seconds)]]));
    const state = known.exitCode === undefined ? "not seen to end" : endState(known.exitCode);
    return { rank, name: pod, node: known.node, createdAt: at(known.created), ...Object.fromEntries(entries), state };
}

function endIn(run: PodRun | undefined): Partial<PodRun> {
    return run?.endedAt === undefined ? {} : { endedAt: run.endedAt, state: run.state };
}

function timeOf(text: string | undefined): number | undefined {
    return text === undefined ? undefined : Date.parse(text);
}
