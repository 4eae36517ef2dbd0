import type { Kube } from "../kube/client";
import type { JobId } from "../kube/jobId";
import { hasNonce } from "../kube/ownership";
import { isSameCluster } from "../kube/sameCluster";
import { ahead, makeMounted, removalOf } from "./configMapAndSecret";
import { find, removeJob } from "./creation";
import { placeOf, wantedNow } from "./memory";
import type { IndexedJobOutputs } from "./resource";

/** Removes the Job and what its pods mount, unless a successor's do. */
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

/** A ConfigMap that is refused must not cost the Job that is there. */
async function prepareSuccessor(kube: Kube, olds: IndexedJobOutputs): Promise<void> {
    const wanted = wantedNow(olds);
    const isOwnName = wanted?.files?.["metadata"].name !== olds.files?.["metadata"].name;
    if (wanted !== undefined && isOwnName && (await isSameCluster(kube, wanted))) {
        await makeMounted(kube, ahead(wanted));
    }
}

/**
 * A Job that isn't there is gone, and may be replaced; but not where the Service of its successor isn't there either: the
 * same credentials then lead to another cluster, and the Job goes on in its own.
 */
async function requireReplaceable(kube: Kube, olds: IndexedJobOutputs): Promise<void> {
    const wanted = wantedNow(olds);
    if (wanted === undefined || (await isSameCluster(kube, wanted))) {
        return;
    }
    throw new Error(
        `Job ${placeOf(olds)} is not replaced: neither the Job nor its Service ${wanted.lead.name} is in the cluster at ` +
            `${kube.server}, so it is another cluster. Give MiniCluster the kubeconfig and the context of the Job's cluster.`,
    );
}
