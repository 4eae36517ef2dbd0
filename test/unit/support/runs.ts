import type { V1Job, V1Pod } from "@kubernetes/client-node";

import type { Source } from "../../../cli/report/source";
import type { RunRecord } from "../../../provider/contract/record/runRecord";
import type { History, PastJob } from "../../../provider/flux/history";

/** A run that didn't happen: its cluster was created at this time. */
export const CREATED = Date.UTC(2026, 10, 26, 8, 0, 0);

export interface Run {
    readonly ranks: number;
    readonly jobs: number;
    readonly coresPerRank?: number;
    /** Gives each job its name. */
    readonly nameOf?: (index: number) => string;
    readonly name?: string;
}

/** The record of a run without anything that may be missing. */
export function makeRecord(more: Partial<RunRecord> = {}): RunRecord {
    return {
        schemaVersion: 1,
        name: "lammps",
        namespace: "hpc",
        uid: "job-uid",
        phase: "succeeded",
        failures: [],
        digests: [],
        command: [],
        environment: [],
        runOptions: [],
        settings: {},
        versions: {},
        createdAt: new Date(CREATED).toISOString(),
        ranks: [],
        missing: [],
        ...more,
    };
}

/** Numbers from 0 to 1 that are the same in each run. */
export function numbers(seed = 1): () => number {
    let state = seed;
    return () => {
        state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
        return state / 2 ** 32;
    };
}

const iso = (seconds: number) => new Date(CREATED + seconds * 1000).toISOString() as unknown as Date;

/** What `readSource` reads of such a run, whose scheduler starts a job as soon as ranks are free. */
export function makeSource({ coresPerRank = 4, jobs, name = "lammps", nameOf = jobName, ranks }: Run): Source {
    const next = numbers();
    const joins = Array.from({ length: ranks }, () => 3 + 12 * next() ** 3 + (next() > 0.98 ? 20 * next() : 0));
    const begin = Math.max(...joins) + 1;
    const scheduled = schedule({ ranks, jobs, coresPerRank, nameOf, name }, begin, next);
    const end = scheduled.reduce((last, { clean = 0 }) => Math.max(last, clean - CREATED / 1000), begin);
    return {
        name,
        namespace: "hpc",
        now: CREATED + end * 1000 + 5000,
        job: makeJob(name, ranks),
        pods: joins.map((join, rank) => makePod(name, rank, join)),
        events: [],
        history: historyOf(scheduled, joins, coresPerRank, end + 2),
        recorded: {},
        unread: [],
    };
}

function jobName(index: number): string {
    return `${["relax", "equilibrate", "produce", "analyse"][index % 4]}-${Math.floor(index / 4)}`;
}

function schedule(
    { coresPerRank: cores, jobs, nameOf, ranks }: Required<Run>,
    begin: number,
    next: () => number,
): PastJob[] {
    // When each core of each rank is free.
    const free = new Float64Array(ranks * cores).fill(begin);
    return Array.from({ length: jobs }, (_, index) => {
        const submit = begin + index * 0.05 + 2 * next();
        const isWide = next() > 0.9;
        const count = isWide ? Math.max(1, Math.floor(next() * Math.min(ranks, 8))) : 1;
        const share = isWide ? cores : Math.max(1, Math.floor(next() * cores));
        const first = Math.floor(next() * (ranks - count + 1));
        const slots = Array.from({ length: count }, (_, at) => {
            const from = (first + at) * cores;
            return [...free.subarray(from, from + cores).keys()]
                .sort((a, b) => free[from + a] - free[from + b])
                .slice(0, share)
                .sort((a, b) => a - b)
                .map((core) => from + core);
        });
        const alloc = Math.max(submit + 0.02, ...slots.flat().map((slot) => free[slot])) + 0.01;
        const start = alloc + 0.05 + 0.1 * next();
        const finish = start + 1 + 30 * next() ** 2;
        const clean = finish + 0.05;
        slots.flat().forEach((slot) => (free[slot] = clean));
        const status = next() > 0.95 ? 1 << 8 : 0;
        const resources = slots.map((slot, at) => ({
            rank: String(first + at),
            children: { core: slot.map((each) => each % cores).join(",") },
        }));
        const times = { submit, depend: submit + 0.01, alloc, start, finish, clean };
        return {
            id: `f${(index + 1).toString(36)}`,
            name: nameOf(index),
            user: 1000,
            ...inSeconds(times),
            status,
            resources,
        };
    });
}

/** Times since the creation as times of Flux. */
function inSeconds<T extends object>(times: T): T {
    const entries = Object.entries(times).map(([event, time]) => [event, CREATED / 1000 + (time as number)]);
    return Object.fromEntries(entries) as T;
}

function historyOf(jobs: PastJob[], joins: readonly number[], cores: number, end: number): History {
    const changes = joins
        .map((at, rank) => ({ at: CREATED / 1000 + at, name: "online", ranks: String(rank), reason: "" }))
        .sort((a, b) => a.at - b.at);
    return {
        flux: "0.88.0",
        now: CREATED / 1000 + end,
        started: CREATED / 1000 + 3,
        count: jobs.length,
        jobs: jobs.sort((a, b) => (a.submit ?? 0) - (b.submit ?? 0)),
        resources: [{ rank: `0-${joins.length - 1}`, children: { core: `0-${cores - 1}` } }],
        changes,
    };
}

export function makeJob(name: string, size: number, status: V1Job["status"] = {}): V1Job {
    const labels = { "app.kubernetes.io/name": "flux-minicluster" };
    return {
        metadata: { name, namespace: "hpc", uid: "job-uid", labels, creationTimestamp: iso(0) },
        spec: {
            parallelism: size,
            template: {
                spec: {
                    containers: [
                        {
                            name: "flux",
                            image: "registry.example/lammps:2",
                            env: [{ name: "MINICLUSTER_MODE", value: "persistent" }],
                            resources: { limits: { cpu: "4", memory: "8Gi" } },
                        },
                    ],
                },
            },
        },
        status: { ready: size, startTime: iso(1), ...status },
    };
}

export function makePod(name: string, rank: number, join: number): V1Pod {
    const labels = { "batch.kubernetes.io/job-name": name, "batch.kubernetes.io/job-completion-index": String(rank) };
    const condition = (type: string, at: number) => ({ type, status: "True", lastTransitionTime: iso(Math.ceil(at)) });
    return {
        metadata: {
            name: `${name}-${rank}-x7k2p`,
            namespace: "hpc",
            uid: `pod-${rank}`,
            labels,
            creationTimestamp: iso(1),
            ownerReferences: [{ apiVersion: "batch/v1", kind: "Job", name, uid: "job-uid" }],
        },
        spec: { containers: [], nodeName: `node-${rank % 16}` },
        status: {
            phase: "Running",
            conditions: [condition("PodScheduled", Math.min(join, 1)), condition("Ready", join)],
            containerStatuses: [
                {
                    name: "flux",
                    image: "registry.example/lammps:2",
                    imageID: `registry.example/lammps@sha256:${"5e".repeat(32)}`,
                    ready: true,
                    started: true,
                    restartCount: 0,
                    state: { running: { startedAt: iso(Math.floor(Math.min(join, 2 + join / 2))) } },
                },
            ],
        },
    };
}
