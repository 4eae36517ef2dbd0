import { isDeepStrictEqual } from "node:util";

import type { V1Job } from "@kubernetes/client-node";

import { warner } from "../engine/log";
import { BRIEFLY, connect, type Kube } from "../kube/client";
import { apiFailure, isTransient, sentence } from "../kube/failure";
import { ending } from "../kube/job";
import { formatId, type JobId, parseId } from "../kube/jobId";
import { hasNonce } from "../kube/ownership";
import { isForgettable, withAccess } from "../kube/unreachable";
import { isUnknown } from "../unknown";
import { type CheckResult, defined, pick, type Verbs } from "../verbs";
import { admittedAfter, admittedForGood, admittedOf } from "./admission";
import type { Admitted } from "./admitted";
import { isSameCluster, requireSameCluster } from "../kube/sameCluster";
import { createOrAdopt, find, isCutShort, removeJob } from "./creation";
import { diffJob } from "./diff";
import { liveManifest } from "./drift";
import { completeJob, rerunOf } from "./identity";
import { deletionRefusal, interruption, mayBeEnded } from "./interruption";
import { heldJobs, isSilent, placeOf, setSilent, wantedJobs, wantedNow } from "./memory";
import { ahead, liveMounted, makeMounted, removalOf } from "./mounted";
import { jobPatch } from "./patch";
import { growthWarning, ownJob, refuseOldKubernetes, rerunReason } from "./preflight";
import { type IndexedJobInputs, type IndexedJobOutputs, INPUT_NAMES } from "./resource";
import { withUnseenEnd } from "./unseenEnd";

const SCHEMA_VERSION = 2;

/*
 * check   looks at the live Job: a failed one is to be run again, a running command is not to be ended by accident
 * diff    patches what Kubernetes can change in place and replaces the rest
 * create  makes ConfigMap, Secret and Job, or adopts what an interrupted create of the same resource left
 * read    tells what is in the cluster, in the fields that are ours
 * update  patches, and makes ConfigMap and Secret again where they are gone
 * delete  removes this Job and no other, waits for its pods, and removes what they mounted
 */
export const indexedJob: Verbs<IndexedJobInputs, IndexedJobOutputs> = {
    async check(olds, news) {
        // Credentials may not be known yet, and the cluster not be there: then there is no Job to look at either.
        const unreachable = isUnknown([news.kubeconfig, news.context]);
        if (!isUnknown([news.manifest, news.files, news.lead])) {
            wantedJobs.set(placeOf(news), news);
        }
        return defined(unreachable ? { inputs: { ...news, rerun: olds.rerun } } : await checkLive(olds, news));
    },

    async diff(id, olds, news) {
        return diffJob(isSilent(news) ? olds : await withUnseenEnd(id, olds, news), news);
    },

    async create(inputs) {
        const kube = connect(inputs);
        await requireSameCluster(kube, inputs);
        const { adopted, job } = await createOrAdopt(kube, inputs, completeJob(inputs));
        heldJobs.delete(job.metadata?.uid ?? "");
        const admitted = adopted ? await mend(kube, inputs, job) : admittedOf(inputs.manifest, job);
        return { id: formatId(job), outs: outputs(inputs, { finished: false, admitted }) };
    },

    async read(id, props) {
        const { name, namespace, uid } = parseId(id);
        const isSame = (kube: Kube) => isSameCluster(kube, props);
        try {
            const { here, live, mounts } = await withAccess(props, isSame, async (kube) => {
                const job = await find(kube, namespace, name);
                const found = job?.metadata?.uid === uid;
                return {
                    live: job,
                    here: found || (await isSame(kube)),
                    mounts: found ? await liveMounted(kube, props) : {},
                };
            });
            if (live?.metadata?.uid === uid) {
                return isCutShort(live) ? {} : seen(id, { ...props, ...mounts }, live);
            }
            return here ? gone(id, await withUnseenEnd(id, props, props), live) : elsewhere(id, props);
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
        if (live === undefined || live.metadata?.uid !== uid || isCutShort(live)) {
            await requireSameCluster(kube, news);
            if (olds.finished || (live === undefined && mayHaveExpired(olds))) {
                return { outs: outputs(news, { finished: true, failure: olds.failure, admitted: olds.admitted }) };
            }
            throw new Error(
                `Job ${namespace}/${name} was deleted by somebody else. Run pulumi refresh, then update again.`,
            );
        }
        if (!isDeepStrictEqual([olds.files, olds.secret], [news.files, news.secret])) {
            await makeMounted(kube, news);
        }
        const patch = jobPatch(olds.manifest, news, live);
        const answer = patch === undefined ? undefined : await kube.patchJob(namespace, name, patch);
        return { outs: outputs(news, { ...seenOf(olds), admitted: admittedAfter(olds, news, patch, answer) }) };
    },

    async delete(id, props) {
        const refusal = heldJobs.get(parseId(id).uid);
        if (refusal !== undefined) {
            throw new Error(refusal);
        }
        const isSame = (kube: Kube) => isSameCluster(kube, props);
        try {
            await withAccess(props, isSame, (kube) => removeBoth(kube, parseId(id), props));
        } catch (error) {
            if (!isForgettable((error as Error).cause)) {
                throw error;
            }
        }
    },
};

/**
 * Changes back what others have changed of a Job since its interrupted creation, and says what the API server made of it. A
 * running command may not like that: then it is drift, as after any other create.
 */
async function mend(kube: Kube, inputs: IndexedJobInputs, job: V1Job): Promise<readonly Admitted[] | undefined> {
    // Only a changed spec makes another generation of it.
    if (job.metadata?.generation === 1) {
        return admittedOf(inputs.manifest, job);
    }
    const patch = mayBeEnded(job, inputs, new Date()) ? jobPatch(inputs.manifest, inputs, job) : undefined;
    const { name, namespace } = inputs.manifest.metadata as { name: string; namespace: string };
    try {
        const answer = patch === undefined ? undefined : await kube.patchJob(namespace, name, patch);
        return admittedAfter({ admitted: admittedForGood(inputs.manifest, job) }, inputs, patch, answer);
    } catch (error) {
        throw new Error(`Job ${namespace}/${name} can't be changed back: ${sentence(error)}`, { cause: error });
    }
}

/** Removes the Job and what its pods mount, unless a successor's do. */
async function removeBoth(kube: Kube, job: JobId, props: IndexedJobOutputs): Promise<void> {
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

/** The Job as it is. */
function seen(id: string, props: IndexedJobOutputs, live: V1Job) {
    const manifest = liveManifest(props.manifest, live, props.admitted);
    const end = ending(live);
    const failure = end?.failed ? end.reason : undefined;
    return unchanged(id, { ...props, manifest, finished: end !== undefined, failure });
}

/** What is gone for good can't be patched any more either: `update` goes by `finished`. */
function gone(id: string, props: IndexedJobOutputs, live: V1Job | undefined) {
    return live === undefined && mayHaveExpired(props) ? unchanged(id, { ...props, finished: true }) : {};
}

/** A Job in another cluster, of which nothing is known; or one without its Service, which a new Service replaces. */
function elsewhere(id: string, props: IndexedJobOutputs) {
    const { name, namespace } = parseId(id);
    const text = `Job ${namespace}/${name} is not in the cluster, and neither is its Service ${props.lead.name}.`;
    warner(props.resourceUrn, name)(`${text} It stays in the state.`);
    return unchanged(id, props);
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
        const kube = connect(news, BRIEFLY);
        await refuseOldKubernetes(kube);
        if (isElsewhere(olds, news)) {
            await requireSameCluster(kube, news);
        }
        const job = await ownJob(kube, olds, news);
        setSilent(news, false);
        return judge(job, olds, news);
    } catch (error) {
        setSilent(news, isTransient(error));
        // Preview has to work without the cluster; what is wrong with the arguments has not.
        if (
            apiFailure(error) !== undefined ||
            isTransient(error) ||
            (error as { cause?: unknown }).cause !== undefined
        ) {
            return { inputs };
        }
        // On no property: the engine prints the value of the property that it names, in clear although it is a secret.
        return { inputs, failures: [{ property: "", reason: sentence(error) }] };
    }
}

/** What the live Job, if there is one, makes of the wanted inputs. */
function judge(
    job: V1Job | undefined,
    olds: Partial<IndexedJobInputs>,
    news: IndexedJobInputs,
): CheckResult<IndexedJobInputs> {
    const warning = growthWarning(olds, news);
    if (warning !== undefined) {
        warner(news.resourceUrn, olds.manifest?.metadata.name)(warning);
    }
    const now = new Date();
    const reason = interruption(job, olds, news, now);
    holdRunning(job, deletionRefusal(job, olds, news, now), news);
    const failures = reason === undefined ? [] : [{ property: "interrupt", reason }];
    const before = olds.manifest === undefined ? rerunOf(job) : olds.rerun;
    return { inputs: { ...news, rerun: news.rerunFailed ? rerunReason(job, before) : before }, failures };
}

/** Refuses to delete a Job later in this update, and says so at preview, which deletes nothing. */
function holdRunning(job: V1Job | undefined, refusal: string | undefined, news: IndexedJobInputs): void {
    const { name, uid } = job?.metadata ?? {};
    if (uid === undefined || name === undefined) {
        return;
    }
    if (refusal === undefined) {
        heldJobs.delete(uid);
        return;
    }
    heldJobs.set(uid, refusal);
    const adopted = "If an interrupted update has left the Job, this update adopts it.";
    warner(
        news.resourceUrn,
        name,
    )(`${adopted} If the Job is to be replaced (--replace, taint), the update fails: ${refusal}`);
}

function unchanged(id: string, props: IndexedJobOutputs) {
    return { id, props: defined(props), inputs: pick<IndexedJobInputs>(props, INPUT_NAMES) };
}

type Seen = Pick<IndexedJobOutputs, "admitted" | "failure" | "finished">;

function seenOf({ failure, finished }: IndexedJobOutputs): Seen {
    return { failure, finished };
}

function outputs(inputs: IndexedJobInputs, seen: Seen): IndexedJobOutputs {
    return defined({ ...inputs, schemaVersion: SCHEMA_VERSION, ...seen });
}
