import type { V1Job } from "@kubernetes/client-node";

import { warner } from "../engine/log";
import { connect, type Kube, retry } from "../kube/client";
import { apiFailure, hasCode, sentence } from "../kube/failure";
import { ending } from "../kube/job";
import { awaitGone } from "../kube/gone";
import { isForgettable, withAccess } from "../kube/unreachable";
import { isUnknown } from "../unknown";
import { type CheckResult, defined, pick, type Verbs } from "../verbs";
import { isSameCluster, requireSameCluster } from "./cluster";
import { diffJob } from "./diff";
import { liveManifest } from "./drift";
import { claim, completeJob, formatId, type JobId, parseId } from "./identity";
import { jobPatch } from "./patch";
import { growthWarning, interruption, ownJob, refuseOldKubernetes, rerunReason } from "./preflight";
import { INPUT_NAMES, type IndexedJobInputs, type IndexedJobOutputs } from "./resource";

const SCHEMA_VERSION = 1;

/*
 * check   looks at the live Job: a failed one is to be run again, a running command is not to be ended by accident
 * diff    patches what Kubernetes can change in place and replaces the rest
 * create  makes the Job, or adopts the one that an interrupted create of the same resource left
 * read    tells what is in the cluster, in the fields that are ours
 * update  patches
 * delete  removes this Job and no other, and waits for its pods
 */
export const indexedJob: Verbs<IndexedJobInputs, IndexedJobOutputs> = {
    async check(olds, news) {
        // Credentials may not be known yet, and the cluster not be there: then there is no Job to look at either.
        const unreachable = isUnknown([news.kubeconfig, news.context]);
        return defined(unreachable ? { inputs: { ...news, rerun: olds.rerun } } : await checkLive(olds, news));
    },

    async diff(_id, olds, news) {
        return diffJob(olds, news);
    },

    async create(inputs) {
        const kube = connect(inputs);
        await requireSameCluster(kube, inputs);
        const job = await createOrAdopt(kube, inputs, completeJob(inputs));
        return { id: formatId(job), outs: outputs(inputs, false) };
    },

    async read(id, props) {
        const { name, namespace, uid } = parseId(id);
        const isSame = (kube: Kube) => isSameCluster(kube, props);
        try {
            const live = await withAccess(props, isSame, (kube) => find(kube, namespace, name));
            if (live === undefined || live.metadata?.uid !== uid) {
                return live === undefined && mayHaveExpired(props) ? unchanged(id, props) : {};
            }
            const manifest = liveManifest(props.manifest, live);
            return unchanged(id, { ...props, manifest, finished: ending(live) !== undefined });
        } catch (error) {
            if (isForgettable((error as Error).cause)) {
                return {};
            }
            throw error;
        }
    },

    async update(id, olds, news) {
        const { name, namespace, uid } = parseId(id);
        const kube = connect(news);
        const live = await find(kube, namespace, name);
        if (live === undefined || live.metadata?.uid !== uid) {
            if (olds.finished) {
                return { outs: outputs(news, true) };
            }
            throw new Error(`Job ${namespace}/${name} was deleted by somebody else. Run pulumi refresh, then update again.`);
        }
        const patch = jobPatch(olds.manifest, news, live);
        if (patch !== undefined) {
            await kube.patchJob(namespace, name, patch);
        }
        return { outs: outputs(news, olds.finished) };
    },

    async delete(id, props) {
        const isSame = (kube: Kube) => isSameCluster(kube, props);
        try {
            await withAccess(props, isSame, (kube) => remove(kube, parseId(id), props.deleteTimeout));
        } catch (error) {
            if (!isForgettable((error as Error).cause)) {
                throw error;
            }
        }
    },
};

async function remove(kube: Kube, job: JobId, timeoutSeconds: number): Promise<void> {
    const { name, namespace, uid } = job;
    try {
        await kube.deleteJob(namespace, name, uid);
    } catch (error) {
        // Conflict: another Job has taken the name, so this one is gone already.
        if (hasCode(error, 404) || hasCode(error, 409)) {
            return;
        }
        throw new Error(`Job ${namespace}/${name} can't be deleted: ${sentence(error)}`, { cause: error });
    }
    await awaitGone(kube, "jobs", job, timeoutSeconds);
}

/** A Job that its TTL has removed has ended, and that is no reason to run it again. */
function mayHaveExpired({ finished, manifest }: IndexedJobOutputs): boolean {
    return finished || manifest.spec.ttlSecondsAfterFinished !== undefined;
}

/** True where other credentials are given for a Job that is there: they may be another cluster's. */
function isElsewhere(olds: Partial<IndexedJobInputs>, news: IndexedJobInputs): boolean {
    const changed = olds.kubeconfig !== news.kubeconfig || olds.context !== news.context;
    return olds.manifest !== undefined && changed && !isUnknown([news.lead, news.manifest]);
}

async function checkLive(
    olds: Partial<IndexedJobInputs>,
    news: IndexedJobInputs,
): Promise<CheckResult<IndexedJobInputs>> {
    const inputs = { ...news, rerun: olds.rerun };
    try {
        const kube = connect(news);
        await refuseOldKubernetes(kube);
        if (isElsewhere(olds, news)) {
            await requireSameCluster(kube, news);
        }
        const job = await ownJob(kube, olds, news);
        const warning = growthWarning(olds, news);
        if (warning !== undefined) {
            warner(news.resourceUrn, olds.manifest?.metadata.name)(warning);
        }
        const reason = interruption(job, olds, news, new Date());
        const failures = reason === undefined ? [] : [{ property: "interrupt", reason }];
        return { inputs: { ...news, rerun: news.rerunFailed ? rerunReason(job, olds.rerun) : olds.rerun }, failures };
    } catch (error) {
        // Preview has to work without the cluster; what is wrong with the arguments has not.
        if (apiFailure(error) !== undefined || (error as { cause?: unknown }).cause !== undefined) {
            return { inputs };
        }
        return { inputs, failures: [{ property: "kubeconfig", reason: sentence(error) }] };
    }
}

async function createOrAdopt(kube: Kube, inputs: IndexedJobInputs, wanted: V1Job): Promise<V1Job> {
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

async function find(kube: Kube, namespace: string, name: string): Promise<V1Job | undefined> {
    try {
        return await kube.getJob(namespace, name);
    } catch (error) {
        if (hasCode(error, 404)) {
            return undefined;
        }
        throw new Error(`Job ${namespace}/${name} can't be read: ${sentence(error)}`, { cause: error });
    }
}

function unchanged(id: string, props: IndexedJobOutputs) {
    return { id, props: defined(props), inputs: pick<IndexedJobInputs>(props, INPUT_NAMES) };
}

function outputs(inputs: IndexedJobInputs, finished: boolean): IndexedJobOutputs {
    return defined({ ...inputs, schemaVersion: SCHEMA_VERSION, finished });
}
