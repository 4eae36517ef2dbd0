import type { V1Job } from "@kubernetes/client-node";

import { type Kube, retry } from "../kube/client";
import { hasCode, sentence } from "../kube/failure";
import { awaitGone } from "../kube/gone";
import { claim } from "./identity";
import type { IndexedJobInputs } from "./resource";

/** Makes the Job, or takes over the one that an interrupted create of the same resource left. */
export async function createOrAdopt(kube: Kube, inputs: IndexedJobInputs, wanted: V1Job): Promise<V1Job> {
    const { name, namespace } = inputs.manifest.metadata as { name: string; namespace: string };
    const live = await find(kube, namespace, name);
    if (live === undefined) {
        return create(kube, inputs, wanted);
    }
    const found = claim(live, wanted);
    if (found.kind === "foreign") {
        throw new Error(
            `Job ${namespace}/${name} exists and belongs to ${found.owner}. Delete it, or give the MiniCluster another name.`,
        );
    }
    if (found.kind === "same" && live.metadata?.deletionTimestamp === undefined) {
        return live;
    }
    const uid = live.metadata?.uid ?? "";
    await kube.deleteJob(namespace, name, uid);
    await awaitGone(kube, "jobs", { name, namespace, uid }, inputs.deleteTimeout);
    return create(kube, inputs, wanted);
}

async function create(kube: Kube, inputs: IndexedJobInputs, wanted: V1Job): Promise<V1Job> {
    const { name, namespace } = inputs.manifest.metadata as { name: string; namespace: string };
    try {
        return await retry(() => createOnce(kube, namespace, name, wanted));
    } catch (error) {
        throw new Error(`Job ${namespace}/${name} can't be created: ${sentence(error)}`, { cause: error });
    }
}

async function createOnce(kube: Kube, namespace: string, name: string, wanted: V1Job): Promise<V1Job> {
    try {
        return await kube.createJob(namespace, wanted);
    } catch (error) {
        // The answer to a create can get lost: what is there now tells whether it was done.
        const live = await find(kube, namespace, name);
        if (live !== undefined && claim(live, wanted).kind === "same") {
            return live;
        }
        throw error;
    }
}

/** The Job of this name, whose ever it is. */
export async function find(kube: Kube, namespace: string, name: string): Promise<V1Job | undefined> {
    try {
        return await kube.getJob(namespace, name);
    } catch (error) {
        if (hasCode(error, 404)) {
            return undefined;
        }
        throw new Error(`Job ${namespace}/${name} can't be read: ${sentence(error)}`, { cause: error });
    }
}
