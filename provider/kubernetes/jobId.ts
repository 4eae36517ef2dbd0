import type { V1Job } from "@kubernetes/client-node";

/** Identifies a Job by its name, and the object in the cluster by its UID. */
export interface JobId {
    readonly namespace: string;
    readonly name: string;
    readonly uid: string;
}

export function formatId(job: V1Job): string {
    return `${job.metadata?.namespace}/${job.metadata?.name}/${job.metadata?.uid}`;
}

export function parseId(id: string): JobId {
    const [namespace, name, uid] = id.split("/");
    return { namespace, name, uid };
}
