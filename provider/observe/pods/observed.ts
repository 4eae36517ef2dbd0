import type { CoreV1Event, V1Job, V1Pod } from "@kubernetes/client-node";

import type { TimeoutsSpec } from "../../contract/timeoutsSpec";
import type { JobId } from "../../kubernetes/jobId";
import { Observation } from "./observation";
import { summarize } from "./pod";

/** Limits of one look, which waits for nothing: the limits of a wait only say which problems last. */
export const NO_TIMEOUTS: TimeoutsSpec = {
    ready: 0,
    unschedulable: 0,
    imagePull: 0,
    podCreation: 0,
    podStart: 0,
    delete: 0,
};

/** What was read of a Job at one time, as the rules of a wait see it. */
export function observed(
    job: V1Job | undefined,
    pods: readonly V1Pod[],
    events: readonly CoreV1Event[],
    now: number,
): Observation {
    const seen = new Observation(job?.metadata?.uid ?? "", now);
    seen.job = job;
    Object.assign(seen, { jobListed: true, podsListed: true });
    pods.forEach((pod) => seen.setPod(summarize(pod), now));
    for (const event of events) {
        if (event.type === "Warning") {
            seen.addWarning(event, now);
        } else if (event.reason === "Pulling") {
            seen.addPull(event, now);
        }
    }
    return seen;
}

/** True for a pod of this Job. */
export function isPodOf({ uid }: Pick<JobId, "uid">, { metadata }: V1Pod): boolean {
    return metadata?.ownerReferences?.some((owner) => owner.uid === uid) ?? false;
}

/** True for an Event about this Job, about a pod of its name, or about a claim, which may be that of a pod. */
export function isAbout({ name, uid }: Pick<JobId, "name" | "uid">, { involvedObject: object }: CoreV1Event): boolean {
    const isOfPod = object.kind === "Pod" && object.name?.startsWith(`${name}-`) === true;
    return object.uid === uid || isOfPod || object.kind === "PersistentVolumeClaim";
}
