import type { V1Job } from "@kubernetes/client-node";

import { warner } from "../engine/log";
import { BRIEFLY, connect, type Kube } from "../kube/client";
import { apiFailure, hasCode, isTransient, sentence } from "../kube/failure";
import { ending } from "../kube/job";
import { awaitGone } from "../kube/gone";
import { isForgettable, withAccess } from "../kube/unreachable";
import { isUnknown } from "../unknown";
import { type CheckResult, defined, pick, type Verbs } from "../verbs";
import { admittedAfter, admittedOf } from "./admission";
import { isSameCluster, requireSameCluster } from "./cluster";
import { createOrAdopt, find } from "./creation";
import { diffJob } from "./diff";
import { liveManifest } from "./drift";
import { completeJob, formatId, type JobId, parseId, rerunOf } from "./identity";
import { deletionRefusal, interruption } from "./interruption";
import { heldJobs, isSilent, placeOf, setSilent, wantedJobs } from "./memory";
import { jobPatch } from "./patch";
import { growthWarning, ownJob, refuseOldKubernetes, rerunReason } from "./preflight";
import { INPUT_NAMES, type IndexedJobInputs, type IndexedJobOutputs } from "./resource";
import { withUnseenEnd } from "./unseenEnd";

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
        if (!isUnknown([news.manifest, news.lead])) {
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
        const job = await createOrAdopt(kube, inputs, completeJob(inputs));
        heldJobs.delete(job.metadata?.uid ?? "");
        return { id: formatId(job), outs: outputs(inputs, { finished: false, admitted: admittedOf(inputs.manifest, job) }) };
    },

    async read(id, props) {
        const { name, namespace, uid } = parseId(id);
        const isSame = (kube: Kube) => isSameCluster(kube, props);
        try {
            const { here, live } = await withAccess(props, isSame, async (kube) => {
                const job = await find(kube, namespace, name);
                const found = job?.metadata?.uid === uid;
                return { live: job, here: found || (await isSame(kube)) };
            });
            if (live?.metadata?.uid === uid) {
                const manifest = liveManifest(props.manifest, live, props.admitted);
                const end = ending(live);
                const failure = end?.failed ? end.reason : undefined;
                return unchanged(id, { ...props, manifest, finished: end !== undefined, failure });
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
        if (live === undefined || live.metadata?.uid !== uid) {
            await requireSameCluster(kube, news);
            if (olds.finished || (live === undefined && mayHaveExpired(olds))) {
                return { outs: outputs(news, { finished: true, failure: olds.failure, admitted: olds.admitted }) };
            }
            throw new Error(`Job ${namespace}/${name} was deleted by somebody else. Run pulumi refresh, then update again.`);
        }
        const patch = jobPatch(olds.manifest, news, live);
        const answer = patch === undefined ? undefined : await kube.patchJob(namespace, name, patch);
        return { outs: outputs(news, { ...seenOf(olds), admitted: admittedAfter(olds, news, answer) }) };
    },

    async delete(id, props) {
        const refusal = heldJobs.get(parseId(id).uid);
        if (refusal !== undefined) {
            throw new Error(refusal);
        }
        const isSame = (kube: Kube) => isSameCluster(kube, props);
        try {
            await withAccess(props, isSame, async (kube) => {
                if (!(await remove(kube, parseId(id), props.deleteTimeout))) {
                    await requireReplaceable(kube, props);
                }
            });
        } catch (error) {
            if (!isForgettable((error as Error).cause)) {
                throw error;
            }
        }
    },
};

/** False where the Job isn't there. */
async function remove(kube: Kube, job: JobId, timeoutSeconds: number): Promise<boolean> {
    const { name, namespace, uid } = job;
    try {
        await kube.deleteJob(namespace, name, uid);
    } catch (error) {
        // A conflict means that another Job has taken the name; or something else, and then the Job is still there.
        if (hasCode(error, 404) || (hasCode(error, 409) && (await find(kube, namespace, name))?.metadata?.uid !== uid)) {
            return false;
        }
        throw new Error(`Job ${namespace}/${name} can't be deleted: ${sentence(error)}`, { cause: error });
    }
    await awaitGone(kube, "jobs", job, timeoutSeconds);
    return true;
}

/**
 * A Job that isn't there is gone, and may be replaced; but not where the Service of its successor isn't there either: the
 * same credentials then lead to another cluster, and the Job goes on in its own.
 */
async function requireReplaceable(kube: Kube, olds: IndexedJobOutputs): Promise<void> {
    const wanted = wantedJobs.get(placeOf(olds));
    const moves = wanted?.kubeconfig !== olds.kubeconfig || wanted?.context !== olds.context;
    if (wanted === undefined || moves || (await isSameCluster(kube, wanted))) {
        return;
    }
    throw new Error(
        `Job ${placeOf(olds)} is not replaced: neither the Job nor its Service ${wanted.lead.name} is in the cluster at ` +
            `${kube.server}, so it is another cluster. Give MiniCluster the kubeconfig and the context of the Job's cluster.`,
    );
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
        if (apiFailure(error) !== undefined || isTransient(error) || (error as { cause?: unknown }).cause !== undefined) {
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
    warner(news.resourceUrn, name)(`${adopted} If the Job is to be replaced (--replace, taint), the update fails: ${refusal}`);
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
