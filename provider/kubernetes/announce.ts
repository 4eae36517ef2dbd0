import { createHash } from "node:crypto";

import type { Kube } from "./client";
import type { JobId } from "./jobId";

/** The content of an Event of a Job. */
export interface Announcement {
    /** One word, such as `Ready`. */
    readonly reason: string;
    readonly message: string;
    readonly warning: boolean;
    /** The Job's generation: after a change of the Job, the same announcement is a new Event. */
    readonly generation?: number;
}

/**
 * Writes a Kubernetes Event of the Job. The same announcement of the same generation of a Job is one Event, however
 * often it is made. Without the right to write Events, none is written.
 */
export async function announce(
    kube: Kube,
    job: JobId,
    { generation, message, reason, warning }: Announcement,
): Promise<void> {
    const { name, namespace, uid } = job;
    const mark = createHash("sha256").update(`${uid} ${generation} ${reason} ${message}`).digest("hex").slice(0, 16);
    const now = new Date();
    try {
        await kube.core.createNamespacedEvent({
            namespace,
            body: {
                metadata: { name: `${name}.${mark}`, namespace },
                involvedObject: { apiVersion: "batch/v1", kind: "Job", name, namespace, uid },
                reason,
                message: message.slice(0, 1024),
                type: warning ? "Warning" : "Normal",
                source: { component: "flux-minicluster" },
                firstTimestamp: now,
                lastTimestamp: now,
                count: 1,
            },
        });
    } catch {
        // A missing Event is no error: it only repeats the messages of the update.
    }
}
