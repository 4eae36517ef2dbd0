import { createHmac, randomBytes } from "node:crypto";

import type { JobCode } from "../contract/code/code";
import { type Json, sortKeys } from "../contract/object";
import type { WantedJobResults } from "../contract/results";
import { type RunOptions, runOptionsOf } from "../contract/runOptions";

/** Identifies a MiniCluster. */
export interface ClusterName {
    readonly name: string;
    readonly namespace: string;
    /** UID of its Job; a recreated cluster has another one. */
    readonly uid?: string;
}

/** A job that must have ended before another job starts. */
export interface Dependency {
    readonly jobId: string;
    /** Phase of the job when this job is submitted. */
    readonly phase?: string;
    /** How the job must have ended. */
    readonly end?: "any" | "ok";
    /** The ids of an array; empty for a large one. */
    readonly jobIds?: readonly string[];
}

/** The elements of an array: their number, or the value of each. */
export interface ArraySize {
    readonly count?: number;
    readonly values?: readonly string[];
}

/** A job, or an array, as Flux gets it. */
export interface JobRequest extends RunOptions {
    /** Marks the job in Flux, so that it is submitted only once. */
    readonly nonce: string;
    /** Key of the hash of the job's content. */
    readonly key: string;
    /** Name that `flux jobs` shows. */
    readonly jobName: string;
    readonly command: readonly string[];
    /** Without it, the request is one job. */
    readonly array?: ArraySize;
    readonly after?: readonly Dependency[];
    /** Port of the rendezvous of its tasks, or `any`. */
    readonly rendezvous?: string;
    readonly environment?: Readonly<Record<string, string>>;
    /** Environment variables that are kept out of the jobspec. */
    readonly secretEnvironment?: Readonly<Record<string, string>>;
    readonly workingDirectory?: string;
    /** The files that are there when its tasks start. Without a working directory, they start in this folder. */
    readonly code?: JobCode;
    /** What is kept of what it leaves behind. Another value doesn't make it another job. */
    readonly keeps?: WantedJobResults;
    /** Values; when one changes, the job is another one. */
    readonly triggers?: readonly Json[];
    /** Whether a job with the same nonce and another content, which runs, may be cancelled. */
    readonly interrupt?: "allow" | "refuse";
}

/** The inputs by which one job differs from another. */
export function subject({ after = [], ...job }: JobRequest): RunOptions & Readonly<Record<Content, unknown>> {
    return {
        ...runOptionsOf(job),
        after: after.length === 0 ? undefined : after.map(identify),
        array: job.array ?? undefined,
        code: job.code?.hash,
        command: job.command,
        environment: job.environment ?? {},
        jobName: job.jobName,
        rendezvous: job.rendezvous,
        secretEnvironment: job.secretEnvironment ?? {},
        triggers: job.triggers ?? [],
        workingDirectory: job.workingDirectory,
    };
}

/** Not the means by which Flux knows a job, nor what may happen to an earlier one. */
type Content = Exclude<keyof JobRequest, keyof RunOptions | "interrupt" | "keeps" | "key" | "nonce">;

/** An element of an array may get another job while the first one keeps its id. */
export function identify({ end, jobId, jobIds }: Dependency): readonly string[] {
    const ids = jobIds ?? [];
    // A job is the same dependency with and without the list of its one id.
    return [end ?? "ok", jobId, ...(ids.length === 1 && ids[0] === jobId ? [] : ids)];
}

/**
 * Hash of a job's content: a job that an interrupted create left is adopted only if its hash is the same. Flux keeps it
 * in the jobspec, so it is keyed with a secret that Flux doesn't have: else a short secret could be guessed from it.
 */
export function contentHash(job: JobRequest): string {
    // The name isn't content: a FluxJob that is renamed keeps its job.
    const { jobName: _name, ...content } = subject(job);
    const digest = createHmac("sha256", job.key)
        .update(JSON.stringify(sortKeys(content)))
        .digest("hex");
    return `k${digest.slice(0, 32)}`;
}

/** A Flux job, and the nonce of its request. */
export interface JobKey {
    readonly jobId: string;
    readonly nonce: string;
}

/** Phase of a job: `lost` if its cluster has no record of it, `unknown` if the cluster could not be asked. */
export type JobPhase = "failed" | "lost" | "pending" | "running" | "succeeded" | "unknown";

/** Work that runs: since when a job runs, in seconds since 1970, or how many elements of an array run. */
export interface Run {
    readonly since?: number;
    readonly elements?: number;
}

/**
 * A new nonce. The letter in front keeps Flux from reading some nonces as numbers. Nonces of earlier releases begin with
 * another one: their jobs aren't in the agent's index.
 */
export function newNonce(): string {
    return `m${randomBytes(8).toString("hex")}`;
}
