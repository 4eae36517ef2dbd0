import type { ResultsMark } from "../contract/results";
import type { LiveJobs } from "../flux/liveJobs";

/** What ends with the pods of a Job. */
export interface Work {
    /** Says what runs, after "its"; undefined if nothing runs. */
    readonly running?: string;
    /** How the user gets the change all the same. */
    readonly cure: string;
    /** Says which jobs wait, and what becomes of them. */
    readonly pending?: string;
    /** Why the lead doesn't tell which jobs run. */
    readonly unknown?: string;
    /** True if the lead should have told it: then only the user's permission ends the pods. */
    readonly isSilent?: boolean;
    /** The command that runs: for how long, and in how many pods. */
    readonly command?: { readonly seconds: number; readonly pods: number };
    /** The results of a command that has ended, for which its lead waits. */
    readonly results?: ResultsMark;
    /** The jobs that end, and those that wait. */
    readonly jobs?: LiveJobs;
    /** True if a volume keeps the jobs that wait. */
    readonly isArchived?: boolean;
}

export interface Look {
    readonly now: Date;
    /** Seconds in which the lead of a persistent cluster tells its jobs. */
    readonly seconds: number;
    /** The lowest rank whose pod ends, if not all do. */
    readonly from?: number;
    /** How many jobs that wait are asked for. */
    readonly mostPending?: number;
    /** False if the wanted Job doesn't get the queue that a volume keeps. */
    readonly keepsQueue?: boolean;
}

/** Seconds that a preview waits for the lead. */
export const BRIEF = 5;

/** Seconds that a permitted deletion waits for the lead, only to say what it ends. */
export const PERMITTED = 10;

/** Seconds that a deletion waits for the lead: on a busy node, a command in its pod may take long. */
export const THOROUGH = 30;

/** How often a change is tried of a Job that changes between the judgement and the change. */
export const MOST_TRIES = 20;

/** Why it isn't known what runs, or what waits: a cluster that sleeps has no jobs that run, and doesn't tell those that wait. */
export function untold({ command, jobs, pending, unknown }: Work): string | undefined {
    return unknown ?? (command === undefined && jobs === undefined ? pending : undefined);
}

/** What forbids a change that ends work. */
export interface Obstacle {
    /** The words after "its". */
    readonly blocked: string;
    readonly cure: string;
}

/** What forbids a change that ends this work without permission; undefined if nothing does. */
export function obstacle({ cure, isSilent, running, unknown }: Work): Obstacle | undefined {
    const blocked = running ?? (isSilent ? `lead doesn't tell which Flux jobs run: ${unknown}` : undefined);
    return blocked === undefined ? undefined : { blocked, cure };
}
