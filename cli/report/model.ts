import type { KeptResults } from "../../provider/contract/results";

/**
 * What a report shows, and what `minicluster report --json` prints. Times are milliseconds since 1970, durations are
 * seconds. A value that isn't known is missing, and `missing` says why.
 */
export interface Report {
    readonly schemaVersion: 1;
    readonly madeAt: number;
    readonly cluster: Cluster;
    readonly ran: Ran;
    /** The pods of all ranks, by rank and time: replaced ones too, as far as Kubernetes still knows them. */
    readonly pods: readonly PodRun[];
    /** When ranks joined and left Flux; null if the lead did not say it. */
    readonly changes: readonly Change[] | null;
    /** What Flux may use on each rank, in groups of ranks. */
    readonly resources: readonly Amount[];
    /** The jobs in the order of their submission; null if the lead did not say them. */
    readonly jobs: readonly JobRun[] | null;
    /** All jobs that Flux remembers. `jobs` has the last ones. */
    readonly jobCount: number | null;
    readonly usage: Usage | null;
    /** Attempts of a command that may be started again. */
    readonly attempts?: number;
    /** The Job's creation, or the creation of the lead's pod if the cluster has been started again since, as after sleep. */
    readonly startedAt?: number;
    /** Seconds from `startedAt` until each step of the cluster's start and end. */
    readonly timings: Readonly<Record<string, number>>;
    /** The slowest rank to join, and the step that took longest; empty if no rank has started. */
    readonly slowest: string;
    /** The results of the command, with the names of 20 files. */
    readonly results?: KeptResults;
    readonly failures: readonly Failure[];
    /** Kubernetes' warnings about the Job and its pods. */
    readonly warnings: readonly Warned[];
    /** What the report doesn't have, each with the reason. */
    readonly missing: readonly string[];
}

export interface Cluster {
    readonly name: string;
    readonly namespace: string;
    readonly uid: string;
    readonly phase: string;
    readonly size: number;
    readonly createdAt?: number;
    /** When Kubernetes, or a queue, let the Job start. */
    readonly startedAt?: number;
    readonly endedAt?: number;
    readonly exitCode?: number;
}

/** What ran. */
export interface Ran {
    /** The container image as the Job names it. */
    readonly image: string;
    /** The images by digest, as the nodes have pulled them: more than one if the tag moved meanwhile. */
    readonly digests: readonly string[];
    /** The command of an ephemeral cluster. A persistent one has none. */
    readonly command?: readonly string[];
    readonly fluxVersion?: string;
    /** SHA-256 of the files of `code`. */
    readonly code?: string;
    /** Other settings of the Job, by their names. */
    readonly settings: Readonly<Record<string, string>>;
}

/** A pod of a rank. */
export interface PodRun {
    readonly rank: number;
    readonly name: string;
    readonly node?: string;
    readonly createdAt: number;
    readonly scheduledAt?: number;
    readonly startedAt?: number;
    /** When its rank joined Flux; if the lead did not say it, when Kubernetes saw that it had. */
    readonly joinedAt?: number;
    readonly endedAt?: number;
    readonly state: string;
    /** True if the pod doesn't exist any more, so that only Kubernetes' Events say of it. */
    readonly isGone?: true;
}

/** A change of the ranks that Flux can use. */
export interface Change {
    readonly at: number;
    readonly name: string;
    /** Ranks as an idset, such as `0,2-3`. */
    readonly ranks: string;
    readonly reason: string;
}

/** Cores and GPUs, by their numbers on a rank, as idsets. They are the same on each of the ranks. */
export interface Amount {
    readonly ranks: string;
    readonly cores: string;
    readonly gpus: string;
}

export type JobState = "waiting" | "running" | "completed" | "failed" | "cancelled" | "timed out";

/** A job of Flux. */
export interface JobRun {
    readonly id: string;
    readonly name: string;
    readonly state: JobState;
    /** Uid of its user. */
    readonly user?: number;
    readonly queue?: string;
    readonly submittedAt: number;
    /** When the jobs that it waited for had ended. */
    readonly readyAt?: number;
    /** When it got its resources. */
    readonly allocatedAt?: number;
    /** When its tasks started. */
    readonly startedAt?: number;
    /** When its tasks ended, or when it ended without any. */
    readonly finishedAt?: number;
    readonly exitCode?: number;
    /** Why it failed. */
    readonly reason?: string;
    readonly resources: readonly Amount[];
    readonly nodes: number;
    readonly cores: number;
}

/** Amounts over time. Each step holds until the next one. */
export interface Usage {
    readonly begin: number;
    readonly end: number;
    readonly steps: readonly Step[];
    /** Share of the usable cores that jobs had, from 0 to 1, since ranks are known to have joined. */
    readonly utilisation?: number;
    readonly coreSeconds: number;
    readonly longestQueue: number;
    /** Seconds from submission until a job got its resources, or ended or still waits without any. */
    readonly waits?: { readonly median: number; readonly p95: number; readonly longest: number };
}

export interface Step {
    readonly at: number;
    readonly waiting: number;
    readonly running: number;
    /** Cores that jobs have. */
    readonly busy: number;
    /** Cores of the ranks that have joined; never below `busy`. */
    readonly usable: number;
    /** Ranks that have joined. */
    readonly ranks: number;
}

/** A failure in one sentence. */
export interface Failure {
    readonly about: string;
    readonly message: string;
    readonly at?: number;
}

export interface Warned {
    readonly about: string;
    readonly reason: string;
    readonly message: string;
    readonly count: number;
    readonly firstAt: number;
    readonly lastAt: number;
}
