import { teller, warner } from "../engine/log";
import { programRuns } from "../engine/program";
import type { Kube } from "../kube/client";
import type { JobId } from "../kube/jobId";
import { hasNonce } from "../kube/ownership";
import { isOwnCluster, isSameCluster } from "../kube/sameCluster";
import { isUnknown } from "../unknown";
import { ahead, makeMounted, removalOf } from "./configMapAndSecret";
import { find, removeJob } from "./creation";
import { placeOf, wantedNow, wasCompared } from "./betweenVerbs";
import { type Guard, permitDeletion, tellWork } from "./permission";
import type { IndexedJobInputs, IndexedJobOutputs } from "./properties";

/** Removes the Job and the objects that its pods mount, unless the pods of its successor mount them. */
export async function removeBoth(kube: Kube, job: JobId, props: IndexedJobOutputs, guard: Guard): Promise<void> {
    await permitDeletion(kube, job, guard);
    if (guard === undefined) {
        await tellWork(kube, job, teller(props.resourceUrn, job.name));
    }
    await prepareSuccessor(kube, props);
    const removeMounted = await removalOf(kube, props);
    if (!(await removeJob(kube, job, props, guard))) {
        await requireRightCluster(kube, props);
        const other = await find(kube, job.namespace, job.name);
        if (other !== undefined && hasNonce(other, props.nonce)) {
            return;
        }
    }
    await removeMounted();
}

/** Creates the successor's ConfigMap first: if it is refused, the old Job is kept. */
async function prepareSuccessor(kube: Kube, olds: IndexedJobOutputs): Promise<void> {
    const wanted = successorOf(olds);
    const isOwnName = wanted?.files?.["metadata"].name !== olds.files?.["metadata"].name;
    if (wanted !== undefined && isOwnName && (await isSameCluster(kube, wanted))) {
        await makeMounted(kube, ahead(wanted));
    }
}

/** The inputs of the Job that this update creates in place of an old one; undefined if there is none. */
function successorOf(olds: IndexedJobOutputs): IndexedJobInputs | undefined {
    const wanted = wantedNow(olds);
    return wanted === undefined || isUnknown([wanted.manifest, wanted.files, wanted.lead]) ? undefined : wanted;
}

/**
 * Looks for the Service of a Job that doesn't exist. If the Service doesn't exist either, the credentials may lead to
 * another cluster, and the Job still runs in its own cluster. Then it is not replaced. In a destroy, and if the cluster has
 * left the program, this is a warning.
 */
async function requireRightCluster(kube: Kube, olds: IndexedJobOutputs): Promise<void> {
    const wanted = successorOf(olds);
    if (await isOwnCluster(kube, wanted ?? olds)) {
        return;
    }
    // Without a `check`, only the replacement of another resource asks for a diff in an update.
    const isReplaced = wanted !== undefined || (wasCompared(olds) && (await programRuns()) !== false);
    if (!isReplaced) {
        const name = olds.manifest.metadata.name as string;
        warner(
            olds.resourceUrn,
            name,
        )(
            `Neither Job ${placeOf(olds)} nor its Service ${olds.lead.name} is in the cluster at ${kube.server}. The Job is ` +
                "removed from the state. If it is in another cluster, it still exists there: delete it by kubectl.",
        );
        return;
    }
    throw new Error(
        `Job ${placeOf(olds)} is not replaced: neither the Job nor its Service ${(wanted ?? olds).lead.name} is in the cluster at ` +
            `${kube.server}, so this is another cluster. Give MiniCluster the kubeconfig and the context of the Job's cluster. ` +
            "If this is its cluster, and another client has deleted both, run pulumi refresh first.",
    );
}
