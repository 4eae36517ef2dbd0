import type { CoreV1Event, V1Pod } from "@kubernetes/client-node";

import { parseIdset } from "../../provider/flux/idset";
import { type Pod, summarize } from "../../provider/observe/pods/pod";
import { lastTimeOf } from "../../provider/observe/pods/warnings";
import { joinedAt } from "../../provider/record/record";
import { stateOf } from "../target/ranks";
import type { Change, PodRun } from "./model";

/** Milliseconds by which a time of Kubernetes, in whole seconds and of another clock, may be later than one of Flux. */
const SLACK = 2000;

/** All pods of a cluster: those that exist, and those that only Events say of. */
export function podRuns(
    pods: readonly V1Pod[],
    events: readonly CoreV1Event[],
    changes: readonly Change[],
    cluster: string,
): PodRun[] {
    const joins = joinsOf(changes);
    const existing = pods.map((pod) => podRun(pod, joins)).filter(({ rank }) => rank >= 0);
    const names = new Set(existing.map(({ name }) => name));
    const gone = gonePods(events, cluster).filter(({ name }) => !names.has(name));
    return [...existing, ...gone].sort((a, b) => a.rank - b.rank || a.createdAt - b.createdAt);
}

function podRun(pod: V1Pod, joins: ReadonlyMap<number, readonly number[]>): PodRun {
    const seen = summarize(pod);
    return {
        rank: seen.rank,
        name: seen.name,
        node: seen.node,
        createdAt: seen.createdAt,
        scheduledAt: seen.scheduledAt,
        startedAt: seen.startedAt,
        joinedAt: joinOf(seen, joins) ?? joinedAt(seen),
        endedAt: seen.endedAt,
        state: seen.staysOut ? "stays out" : stateOf(seen),
    };
}

/** The times at which each rank joined. */
function joinsOf(changes: readonly Change[]): Map<number, number[]> {
    const joins = new Map<number, number[]>();
    for (const { at, ranks } of changes.filter((change) => change.name === "online")) {
        for (const rank of parseIdset(ranks)) {
            joins.set(rank, [...(joins.get(rank) ?? []), at]);
        }
    }
    return joins;
}

/** The first time at which the rank joined while the pod ran. */
function joinOf(
    { endedAt = Infinity, rank, startedAt }: Pod,
    joins: ReadonlyMap<number, readonly number[]>,
): number | undefined {
    if (startedAt === undefined) {
        return undefined;
    }
    const join = joins.get(rank)?.find((at) => at >= startedAt - SLACK && at <= endedAt);
    return join === undefined ? undefined : Math.max(join, startedAt);
}

/** The times that the Events of one pod tell. */
interface Told {
    readonly rank: number;
    readonly at: Map<string, number>;
    node?: string;
    first: number;
    last: number;
}

/** Pods of which only Events are left: Kubernetes keeps them for an hour. */
function gonePods(events: readonly CoreV1Event[], cluster: string): PodRun[] {
    const told = new Map<string, Told>();
    for (const event of events) {
        const rank = rankIn(event.involvedObject.name, cluster);
        const at = lastTimeOf(event);
        if (event.involvedObject.kind === "Pod" && rank !== undefined && at !== undefined) {
            say(told, event, rank, at);
        }
    }
    return [...told].map(([name, { at, first, last, node, rank }]) => ({
        rank,
        name,
        node,
        createdAt: first,
        scheduledAt: at.get("Scheduled"),
        startedAt: at.get("Started"),
        endedAt: Math.max(last, at.get("Killing") ?? 0),
        state: at.has("Killing") ? "ended by Kubernetes" : "gone",
        isGone: true as const,
    }));
}

function say(told: Map<string, Told>, event: CoreV1Event, rank: number, at: number): void {
    const { message = "", reason = "" } = event;
    const name = event.involvedObject.name ?? "";
    const known = told.get(name) ?? { rank, at: new Map<string, number>(), first: at, last: at };
    known.at.set(reason, at);
    known.first = Math.min(known.first, at);
    known.last = Math.max(known.last, at);
    known.node = /^Successfully assigned \S+ to (\S+)$/.exec(message)?.[1] ?? known.node;
    told.set(name, known);
}

/** The rank of a pod by its name: `lammps-3-x7k2p`. */
export function rankIn(pod: string | undefined, cluster: string): number | undefined {
    const own = pod?.startsWith(`${cluster}-`) ? pod.slice(cluster.length + 1) : "";
    const rank = /^(\d+)-[a-z0-9]{5}$/.exec(own)?.[1];
    return rank === undefined ? undefined : Number(rank);
}
