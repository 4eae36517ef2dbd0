import type { Kube } from "../kube/client";
import type { JobId } from "../kube/jobId";
import { hasNonce } from "../kube/ownership";
import { isSameCluster } from "../kube/sameCluster";
import { ahead, makeMounted, removalOf } from "./configMapAndSecret";
import { find, removeJob } from "./creation";
import { placeOf, wantedNow } from "./memory";
import type { IndexedJobOutputs } from "./properties";

/** Removes the Job and the objects that its pods mount, unless the pods of its successor mount them. */
export async function removeBoth(kube: Kube, job: JobId, props: IndexedJobOutputs): Promise<void> {
    await prepareSuccessor(kube, props);
    const removeMounted = await removalOf(kube, props);
    if (!(await removeJob(kube, job, props.deleteTimeout))) {
        await requireReplaceable(kube, props);
        const other = await find(kube, job.namespace, job.name);
        if (other !== undefined && hasNonce(other, props.nonce)) {
            return;
        }
    }
    await removeMounted();
}

/** Creates the successor's ConfigMap first: if it is refused, the old Job is kept. */
async function prepareSuccessor(kube: Kube, olds: IndexedJobOutputs): Promise<void> {
    const wanted = wantedNow(olds);
    const isOwnName = wanted?.files?.["metadata"].name !== olds.files?.["metadata"].name;
    if (wanted !== undefined && isOwnName && (await isSameCluster(kube, wanted))) {
        await makeMounted(kube, ahead(wanted));
    }
}

/**
 * Allows to replace a Job that doesn't exist. If the Service of its successor doesn't exist either, the credentials
 * lead to another cluster: the Job then still runs in its own cluster, and is not replaced.
 */
async function requireReplaceable(kube: Kube, olds: IndexedJobOutputs): Promise<void> {
    const wanted = wantedNow(olds);
    if (wanted === undefined || (await isSameCluster(kube, wanted))) {
        return;
    }
    throw new Error(
        `Job ${placeOf(olds)} is not replaced: neither the Job nor its Service ${wanted.lead.name} is in the cluster at ` +
            `${kube.server}, so this is another cluster. Give MiniCluster the kubeconfig and the context of the Job's cluster.`,
    );
}
