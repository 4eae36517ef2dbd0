import type { V1Job, V1JobCondition } from "@kubernetes/client-node";

/** The condition of this type, if it is true. */
export function condition(job: V1Job, type: string): V1JobCondition | undefined {
    return job.status?.conditions?.find((candidate) => candidate.type === type && candidate.status === "True");
}

/** How a Job ended; undefined until it has ended. */
export function ending(
    job: V1Job,
): { readonly failed: boolean; readonly reason: string; readonly message: string } | undefined {
    const failed = condition(job, "Failed");
    const end = failed ?? condition(job, "Complete");
    if (end === undefined) {
        return undefined;
    }
    return { failed: failed !== undefined, reason: end.reason ?? "", message: end.message ?? "" };
}
