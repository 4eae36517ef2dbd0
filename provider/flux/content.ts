import { createHmac } from "node:crypto";

import { sortKeys } from "../contract/object";
import { runOptionsOf } from "../contract/runOptions";
import type { Dependency, JobRequest } from "./job";

/** The inputs by which one job differs from another. */
export function subject(job: JobRequest): Record<string, unknown> {
    const {
        after = [],
        array,
        code,
        command,
        environment,
        jobName,
        rendezvous,
        secretEnvironment,
        triggers,
        workingDirectory,
    } = job;
    return {
        ...runOptionsOf(job),
        after: after.length === 0 ? undefined : after.map(identify),
        array: array ?? undefined,
        code: code?.hash,
        command,
        environment: environment ?? {},
        jobName,
        rendezvous,
        secretEnvironment: secretEnvironment ?? {},
        triggers: triggers ?? [],
        workingDirectory,
    };
}

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
