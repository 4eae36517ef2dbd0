import { isDeepStrictEqual } from "node:util";

import type { V1Job } from "@kubernetes/client-node";

import { teller, warner } from "../host/log";
import { programRuns } from "../host/program";
import { type Guard, permitDeletion, tellWork } from "../guard/guard";
import { connect, type Kube } from "../kubernetes/client";
import type { JobId } from "../kubernetes/jobId";
import { hasNonce } from "../kubernetes/ownership";
import { isSameCluster, requireSameCluster } from "../kubernetes/sameCluster";
import { FORGET, mayForget } from "../kubernetes/kubeconfig/unreachable";
import { isClusterOf, locate } from "../observe/job";
import { isUnknown } from "../host/unknown";
import { makeAhead, patchParts, removalOf, removeLeftParts } from "./configMapAndSecret";
import { removeJob } from "./creation";
import { knownByNonce, knownJob } from "./known";
import { placeOf, wantedNow, wasCompared } from "./betweenVerbs";
import type { IndexedJobInputs, IndexedJobOutputs } from "./properties";

/** Removes the Job and the objects that its pods mount, unless the pods of its successor mount them. */
export async function removeBoth(kube: Kube, job: JobId, props: IndexedJobOutputs, guard: Guard): Promise<void> {
    await permitDeletion(kube, job, guard);
    if (guard === undefined) {
        await tellWork(kube, job, teller(props.resourceUrn, job.name));
    }
    await prepareSuccessor(kube, job, props);
    const removeMounted = await removalOf(kube, sharesCode(props) ? { ...props, code: undefined } : props);
    if (!(await removeJob(kube, job, props, guard))) {
        const { namesake } = await requireGone(kube, job, props);
        if (namesake !== undefined && hasNonce(namesake, props.nonce)) {
            return;
        }
    }
    await removeMounted();
    if (props.code !== undefined && isWithoutCode(successorOf(props))) {
        await removeLeftParts(kube, { ...props, code: undefined });
    }
}

/** True for a successor that makes no parts, so it doesn't look for those of other codes either. */
function isWithoutCode(successor: IndexedJobInputs | undefined): boolean {
    return successor !== undefined && successor.code === undefined;
}

/**
 * Creates the successor's code and ConfigMap first: if one is refused, the old Job is kept. So it is if the successor's lead
 * Service is in none of the two clusters: a refresh in a wrong context has taken that of another one into the state.
 */
async function prepareSuccessor(kube: Kube, { uid }: JobId, olds: IndexedJobOutputs): Promise<void> {
    const wanted = successorOf(olds);
    if (wanted === undefined) {
        return;
    }
    const isHere = await isSameCluster(kube, wanted);
    if (!isHere && (await isClusterOf(kube, knownJob(uid, olds)))) {
        await requireSameCluster(connect(wanted), wanted);
    }
    if (isHere) {
        await makeAhead(kube, wanted, olds);
        await patchParts(kube, wanted, olds);
    }
}

/** True if the successor's pods mount the same parts of the code: its folder may have changed since. */
function sharesCode(olds: IndexedJobOutputs): boolean {
    const marks = (of: IndexedJobInputs) => [placeOf(of), of.nonce, of.lead.uid, of.code?.hash];
    const wanted = successorOf(olds);
    return wanted !== undefined && isDeepStrictEqual(marks(wanted), marks(olds));
}

/** The inputs of the Job that this update creates in place of an old one; undefined if there is none. */
function successorOf(olds: IndexedJobOutputs): IndexedJobInputs | undefined {
    const wanted = wantedNow(olds);
    return wanted === undefined || isUnknown([wanted.manifest, wanted.files, wanted.lead]) ? undefined : wanted;
}

/** True if the Job may have been in the cluster of its successor, whose inputs have the lead Service but no mark. */
async function isClusterOfSuccessor(kube: Kube, uid: string, olds: IndexedJobOutputs): Promise<boolean> {
    const wanted = successorOf(olds);
    const { clusterMark } = olds;
    return wanted !== undefined && (await isClusterOf(kube, knownByNonce(uid, { ...wanted, clusterMark })));
}

/**
 * Fails if a Job that isn't here may be in another cluster, where it still runs. If the user has allowed to drop the objects
 * of clusters that can't be reached, and for a Job that has ended, this is a warning.
 */
async function requireGone(kube: Kube, { uid }: JobId, olds: IndexedJobOutputs): Promise<{ namesake?: V1Job }> {
    const answer = await locate(kube, knownByNonce(uid, olds));
    const wanted = successorOf(olds);
    if (answer.where === "gone") {
        return answer;
    }
    if (answer.where === "here" || (await isClusterOfSuccessor(kube, uid, olds))) {
        return {};
    }
    // Without a `check`, only the replacement of another resource asks for a diff in an update.
    const isReplaced = wanted !== undefined || (wasCompared(olds) && (await programRuns()) !== false);
    const [place, access] = [placeOf(olds), "Give MiniCluster the kubeconfig and the context of the Job's cluster."];
    if (isReplaced) {
        throw new Error(
            `Job ${place} is not replaced: ${answer.why}, so this is another cluster. ${access} If this is its cluster, and ` +
                "another client has deleted both, run pulumi refresh first.",
        );
    }
    if (!olds.finished && !mayForget()) {
        throw new Error(
            `Job ${place} is not deleted: ${answer.why}, so it may still run in another cluster. ${access} If the Job ` +
                `doesn't exist any more, ${FORGET}.`,
        );
    }
    warner(
        olds.resourceUrn,
        olds.manifest.metadata.name as string,
    )(
        `Job ${place} is removed from the state: ${answer.why}. If it is in another cluster, it still exists there: delete ` +
            "it by kubectl.",
    );
    return {};
}
