import type { V1Job } from "@kubernetes/client-node";

import { isOlder, MINIMUM } from "../contract/versions";
import type { Kube } from "../kubernetes/client";
import { ending } from "../kubernetes/job";
import { rememberVersion } from "../kubernetes/learnt";
import { hasNonce, refusalOfForeign } from "../kubernetes/ownership";
import { type JobName, jobNamed } from "../observe/job";
import { isUnknown } from "../host/unknown";
import { isInState, rememberInState } from "./betweenVerbs";
import type { IndexedJobInputs } from "./properties";

/** Refuses a Kubernetes version that is too old, before any object is created. */
export async function refuseOldKubernetes(kube: Kube): Promise<void> {
    const version = await kube.version();
    rememberVersion(kube, version);
    const problem = oldKubernetes(version, kube.server);
    if (problem !== undefined) {
        throw new Error(problem);
    }
}

/** Why a version of Kubernetes is too old; undefined if it isn't. */
export function oldKubernetes(
    version: { readonly major: number; readonly minor: number },
    server: string,
): string | undefined {
    return isOlder(version, MINIMUM.kubernetes)
        ? `Kubernetes at ${server} is ${version.major}.${version.minor}; ${MINIMUM.kubernetes} is needed, ` +
              "because the lead decides about the Job by its successPolicy. Upgrade the cluster."
        : undefined;
}

/**
 * The live Job that this resource created, by its last name; undefined if there is none. For a replacement, the engine
 * calls `check` a second time without `olds`, and the result must be the same.
 */
export async function ownJob(
    kube: Kube,
    olds: Partial<IndexedJobInputs>,
    news: IndexedJobInputs,
): Promise<V1Job | undefined> {
    const { manifest, nonce } = olds.manifest === undefined ? news : olds;
    if (manifest === undefined || nonce === undefined || isUnknown([manifest, nonce])) {
        return undefined;
    }
    const job = await jobNamed(kube, manifest.metadata as JobName);
    return job !== undefined && hasNonce(job, nonce) ? job : undefined;
}

/**
 * Refuses a Job of another owner in the preview of a new MiniCluster, whose nonce and Services are unknown. An update refuses the
 * name before that, when it creates the key.
 */
export async function refuseForeign(
    kube: Kube,
    olds: Partial<IndexedJobInputs>,
    news: IndexedJobInputs,
): Promise<void> {
    const { lead, manifest, nonce } = news;
    if (olds.manifest !== undefined) {
        rememberInState(news);
        return;
    }
    if (isInState(news) || isUnknown(manifest) || !isUnknown(nonce) || !isUnknown(lead)) {
        return;
    }
    const { name, namespace } = manifest.metadata;
    const job = await jobNamed(kube, { namespace, name });
    if (job !== undefined && !hasNonce(job, nonce)) {
        throw new Error(refusalOfForeign(`Job ${namespace}/${name}`, job));
    }
}

/** Why the Job is run again: the failure of the last run, or else the reason of the last rerun. */
export function rerunReason(job: V1Job | undefined, before: string | undefined): string | undefined {
    const end = job === undefined ? undefined : ending(job);
    if (end === undefined || !end.failed) {
        return before;
    }
    return `run ${job?.metadata?.uid?.slice(0, 8)} failed: ${end.reason}`;
}

/** Warns that a resize is a replacement, and tells how to avoid the next one; undefined if it isn't one. */
export function growthWarning(olds: Partial<IndexedJobInputs>, news: IndexedJobInputs): string | undefined {
    if (olds.maxSize === undefined || isUnknown(news.maxSize) || olds.maxSize === news.maxSize) {
        return undefined;
    }
    return (
        `maxSize changes from ${olds.maxSize} to ${news.maxSize} (its default is size), so the Job is replaced. ` +
        "Set maxSize to the largest size that you will need: the Job is resized in place up to that size."
    );
}
