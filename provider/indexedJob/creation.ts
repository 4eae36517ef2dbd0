import type { V1Job } from "@kubernetes/client-node";

import { CODE_LABEL } from "../contract/labels";
import { deletePermitted, type Guard, replacementRefusal } from "../guard/guard";
import { type Kube, retry } from "../kubernetes/client";
import { createOnce, requireOurs } from "../kubernetes/creation";
import { sentence } from "../kubernetes/failures/failure";
import { ending } from "../kubernetes/job";
import type { JobId } from "../kubernetes/jobId";
import { rememberCreation } from "../observe/creation";
import { createdAtOf, type JobName, jobNamed } from "../observe/job";
import { makeAhead, makeMounted, removeLeftParts } from "./configMapAndSecret";
import { awaitJobGone, type Deadline } from "./jobGone";
import type { IndexedJobInputs } from "./properties";

interface Made {
    readonly job: V1Job;
    readonly adopted: boolean;
}

/**
 * Creates the Job and the objects that its pods mount, or adopts those of an interrupted create of the same resource.
 */
export async function createOrAdopt(kube: Kube, inputs: IndexedJobInputs, wanted: V1Job): Promise<Made> {
    const { name, namespace } = inputs.manifest.metadata as { name: string; namespace: string };
    const live = await findStanding(kube, { namespace, name }, inputs);
    const isSame = live !== undefined && requireOurs(live, wanted) === "same";
    if (live !== undefined && !isSame) {
        await makeAhead(kube, inputs);
        const guard = inputs.interrupt === "allow" ? undefined : replacementRefusal;
        await removeJob(kube, { namespace, name, uid: live.metadata?.uid ?? "" }, inputs, guard);
    }
    await makeMounted(kube, inputs);
    const made = isSame ? { job: live, adopted: true } : { job: await create(kube, inputs, wanted), adopted: false };
    rememberCreation(made.job.metadata?.uid ?? "", createdAtOf(made.job));
    await removePartsBefore(kube, inputs, live);
    return made;
}

/** Removes left parts, unless neither the Job nor the live one before it has code: then no ConfigMaps are listed. */
async function removePartsBefore(kube: Kube, inputs: IndexedJobInputs, live: V1Job | undefined): Promise<void> {
    if (inputs.code !== undefined || live?.metadata?.labels?.[CODE_LABEL] !== undefined) {
        await removeLeftParts(kube, inputs);
    }
}

async function create(kube: Kube, inputs: IndexedJobInputs, wanted: V1Job): Promise<V1Job> {
    const { name, namespace } = inputs.manifest.metadata as { name: string; namespace: string };
    try {
        const create = () => kube.createJob(namespace, wanted);
        return await retry(() => createOnce(wanted, { create, find: () => find(kube, { namespace, name }) }));
    } catch (error) {
        throw new Error(`Job ${namespace}/${name} can't be created: ${sentence(error)}`, { cause: error });
    }
}

/** The Job of this name, of any owner. If it is being deleted, this waits until it doesn't exist any more. */
async function findStanding(kube: Kube, { name, namespace }: JobName, deadline: Deadline): Promise<V1Job | undefined> {
    const job = await find(kube, { namespace, name });
    if (job === undefined || !isBeingDeleted(job)) {
        return job;
    }
    await awaitJobGone(kube, { name, namespace, uid: job.metadata?.uid ?? "" }, deadline);
    return undefined;
}

/** True for a Job that is being deleted before its end. A TTL deletes a Job only after its end. */
export function isCutShort(job: V1Job): boolean {
    return isBeingDeleted(job) && ending(job) === undefined;
}

function isBeingDeleted({ metadata }: V1Job): boolean {
    return metadata?.deletionTimestamp !== undefined;
}

/** Deletes the Job with this UID, and waits until its pods have ended; false if the Job doesn't exist. */
export async function removeJob(kube: Kube, job: JobId, deadline: Deadline, guard: Guard): Promise<boolean> {
    if (!(await deletePermitted(kube, job, guard))) {
        return false;
    }
    await awaitJobGone(kube, job, deadline);
    return true;
}

/** The Job of this name, of any owner. */
export function find(kube: Kube, job: JobName): Promise<V1Job | undefined> {
    return reading(job, jobNamed(kube, job));
}

/** The answer to a look at a Job, whose error names the Job. */
export async function reading<T>({ name, namespace }: JobName, look: Promise<T>): Promise<T> {
    try {
        return await look;
    } catch (error) {
        throw new Error(`Job ${namespace}/${name} can't be read: ${sentence(error)}`, { cause: error });
    }
}
