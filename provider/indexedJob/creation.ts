import type { V1Job } from "@kubernetes/client-node";

import { type Kube, retry } from "../kube/client";
import { createOnce, requireOurs } from "../kube/creation";
import { ifThere, sentence } from "../kube/failure";
import { awaitGone, isGone } from "../kube/gone";
import { ending } from "../kube/job";
import type { JobId } from "../kube/jobId";
import { ahead, makeMounted } from "./configMapAndSecret";
import type { IndexedJobInputs } from "./resource";

interface Made {
    readonly job: V1Job;
    readonly adopted: boolean;
}

/** Makes the Job and what its pods mount, or takes over those that an interrupted create of the same resource left. */
export async function createOrAdopt(kube: Kube, inputs: IndexedJobInputs, wanted: V1Job): Promise<Made> {
    const { name, namespace } = inputs.manifest.metadata as { name: string; namespace: string };
    const live = await findStanding(kube, { namespace, name }, inputs.deleteTimeout);
    const isSame = live !== undefined && requireOurs(live, wanted) === "same";
    if (live !== undefined && !isSame) {
        await makeMounted(kube, ahead(inputs));
        await removeJob(kube, { namespace, name, uid: live.metadata?.uid ?? "" }, inputs.deleteTimeout);
    }
    await makeMounted(kube, inputs);
    return isSame ? { job: live, adopted: true } : { job: await create(kube, inputs, wanted), adopted: false };
}

async function create(kube: Kube, inputs: IndexedJobInputs, wanted: V1Job): Promise<V1Job> {
    const { name, namespace } = inputs.manifest.metadata as { name: string; namespace: string };
    try {
        const create = () => kube.createJob(namespace, wanted);
        return await retry(() => createOnce(wanted, { create, find: () => find(kube, namespace, name) }));
    } catch (error) {
        throw new Error(`Job ${namespace}/${name} can't be created: ${sentence(error)}`, { cause: error });
    }
}

/** The Job of this name. Where it is being deleted, this waits until it is gone, whoever has made it. */
async function findStanding(
    kube: Kube,
    { name, namespace }: Omit<JobId, "uid">,
    timeoutSeconds: number,
): Promise<V1Job | undefined> {
    const job = await find(kube, namespace, name);
    if (job === undefined || !isGoing(job)) {
        return job;
    }
    await awaitGone(kube, "jobs", { name, namespace, uid: job.metadata?.uid ?? "" }, timeoutSeconds);
    return undefined;
}

/** True for a Job that is being deleted before its end: a TTL waits for that. */
export function isCutShort(job: V1Job): boolean {
    return isGoing(job) && ending(job) === undefined;
}

function isGoing({ metadata }: V1Job): boolean {
    return metadata?.deletionTimestamp !== undefined;
}

/** Removes this Job and no other, and waits for its pods; false where it isn't there. */
export async function removeJob(kube: Kube, job: JobId, timeoutSeconds: number): Promise<boolean> {
    const { name, namespace, uid } = job;
    try {
        await kube.deleteJob(namespace, name, uid);
    } catch (error) {
        if (await isGone(error, uid, () => find(kube, namespace, name))) {
            return false;
        }
        throw new Error(`Job ${namespace}/${name} can't be deleted: ${sentence(error)}`, { cause: error });
    }
    await awaitGone(kube, "jobs", job, timeoutSeconds);
    return true;
}

/** The Job of this name, whose ever it is. */
export async function find(kube: Kube, namespace: string, name: string): Promise<V1Job | undefined> {
    try {
        return await ifThere(kube.getJob(namespace, name));
    } catch (error) {
        throw new Error(`Job ${namespace}/${name} can't be read: ${sentence(error)}`, { cause: error });
    }
}
