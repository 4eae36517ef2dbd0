import { createHmac } from "node:crypto";

import { sortKeys } from "../contract/object";
import { runOptionsOf } from "../contract/runOptions";
import type { Dependency, JobRequest } from "./job";

/** The inputs by which one job differs from another. */
export function subject(job: JobRequest): Record<string, unknown> {
    const {
        after = [],
        array,
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
        // Without an array, the hash is that of earlier versions.
        array: array ?? undefined,
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
    // Without an array, the hash is that of earlier versions.
    return [end ?? "ok", jobId, ...(ids.length === 1 && ids[0] === jobId ? [] : ids)];
}

/**
 * Hash of a job's content: a job that an interrupted create left is adopted only if its hash is the same. Flux keeps it
 * in the jobspec, so it is keyed with a secret that Flux doesn't have: else a short secret could be guessed from it.
 */
export function contentHash(job: JobRequest): string {
    // The name isn't content: a FluxJob that is renamed keeps its job.
    const { jobName: _name, ...content } = subject(job);
    if ((job.key ?? undefined) === undefined) {
        // A ticket of an earlier version that isn't a target of this update: arguments that may be secret are left out.
        const { secretEnvironment: _secrets, triggers: _triggers, ...open } = content;
        return `p${digest(job.nonce, open, 16)}`;
    }
    return `k${digest(job.key as string, content, 32)}`;
}

/** Hashes that jobs with the same content may have: those of version 0.2, and of a ticket without a key. */
export function earlierHashes(job: JobRequest): string[] {
    const withoutKey = { ...job, key: undefined };
    return [`h${digest(job.nonce, subject(job), 16)}`, contentHash(withoutKey)];
}

function digest(key: string, content: object, length: number): string {
    return createHmac("sha256", key)
        .update(JSON.stringify(sortKeys(content)))
        .digest("hex")
        .slice(0, length);
}
