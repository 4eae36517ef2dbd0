import { isDeepStrictEqual } from "node:util";

import type { V1Job } from "@kubernetes/client-node";

import { tellCode } from "../code/tell";
import { warner } from "../host/log";
import { guardOf, mayBeEnded, patchPermitted, permittedPatch, refuseWithLead } from "../guard/guard";
import { connect, type Kube } from "../kubernetes/client";
import { clusterMark, presentMark } from "../kubernetes/clusterMark";
import { sentence } from "../kubernetes/failures/failure";
import { ending } from "../kubernetes/job";
import { formatId, parseId } from "../kubernetes/jobId";
import { isSameCluster, isSameServer, requireSameCluster } from "../kubernetes/sameCluster";
import { rememberCreation } from "../observe/creation";
import { createdAtOf, isClusterOf, type JobName, locate } from "../observe/job";
import { isForgettable, rememberAccess, withAccess } from "../kubernetes/kubeconfig/unreachable";
import { isUnknown } from "../host/unknown";
import { mutationOf } from "../observe/pods/mutation";
import { defined, type Verbs } from "../host/verbs";
import { inputsOf } from "../host/inputs";
import { admittedAfter, admittedForGood, admittedOf } from "./admission";
import type { Admitted } from "./admitted";
import { checkLive, wakeBefore, warnUnknown } from "./check";
import { liveMounted, makeMounted, patchMounted } from "./configMapAndSecret";
import { createOrAdopt, find, isCutShort, reading } from "./creation";
import { diffJob } from "./diff";
import { liveManifest } from "./drift";
import { completeJob } from "./identity";
import { isSilent, rememberCompared, rememberWanted, toldOf, wantedNow } from "./betweenVerbs";
import { jobPatch, textsOf } from "./patch";
import { type IndexedJobInputs, type IndexedJobOutputs, OUTPUTS } from "./properties";
import { removeBoth } from "./removal";
import { withExpiredJob } from "./expiredJob";
import { knownJob, mayHaveGone } from "./known";

const SCHEMA_VERSION = 1;

/*
 * check   looks at the live Job: plans the rerun of a failed one, and refuses to end a running command
 * diff    asks for a patch if Kubernetes can make the change in place, else for a replacement
 * create  creates ConfigMap, Secret and Job, or adopts those of an interrupted create of the same resource
 * read    records the live values of the fields that this package sets
 * update  patches the Job, and recreates a missing ConfigMap or Secret
 * delete  deletes the Job by its UID, waits for its pods, and deletes their ConfigMap and Secret
 */
export const indexedJob: Verbs<IndexedJobInputs, IndexedJobOutputs> = {
    async check(olds, news) {
        // If the credentials are unknown, the cluster may not exist yet. Then there is no Job to look at.
        const unreachable = isUnknown([news.kubeconfig, news.context]);
        rememberWanted(olds, news);
        warnUnknown(olds, news);
        if (!isUnknown(news.manifest)) {
            const { name } = (olds.manifest ?? news.manifest).metadata as { name: string };
            tellCode({ before: olds.code, code: news.code, name, resourceUrn: news.resourceUrn });
        }
        if (!unreachable) {
            rememberAccess(news);
        }
        return defined(
            unreachable
                ? { inputs: { ...news, rerun: olds.rerun, wake: wakeBefore(olds, news) } }
                : await checkLive(olds, news),
        );
    },

    async diff(id, olds, news) {
        rememberCompared(olds, news);
        rememberCreation(parseId(id).uid, olds.createdAt);
        const result = diffJob(isSilent(news) ? olds : await withExpiredJob(id, olds, news), news);
        if (result.replaces?.includes("lead") && wantedNow(olds) === undefined) {
            await refuseWithLead(parseId(id), olds, news);
        }
        return result;
    },

    async create(inputs) {
        const kube = connect(inputs);
        await requireSameCluster(kube, inputs);
        // First, because the Job proves that it is the right cluster: the context may change at any time.
        const mark = await clusterMark(kube, (inputs.manifest.metadata as JobName).namespace);
        const { adopted, job } = await createOrAdopt(kube, inputs, completeJob(inputs));
        const admitted = adopted ? await mend(kube, inputs, job) : admittedOf(inputs.manifest, job);
        warnMutated(inputs, job);
        const seen = { finished: false, admitted, createdAt: createdAtOf(job), clusterMark: mark };
        return { id: formatId(job), outs: outputs(inputs, seen) };
    },

    async read(id, props) {
        const known = knownJob(parseId(id).uid, props);
        const isSame = (kube: Kube) => isClusterOf(kube, known);
        try {
            const { answer, mounts, now } = await withAccess(props, isSame, async (kube) => {
                const mark = await presentMark(kube, known.namespace, props.clusterMark);
                const answer = await reading(known, locate(kube, known));
                const mounts =
                    answer.where === "here" ? { ...(await liveMounted(kube, props)), clusterMark: mark } : {};
                return { answer, now: kube.now(), mounts };
            });
            switch (answer.where) {
                case "here":
                    return isCutShort(answer.job) ? {} : seen(id, { ...props, ...mounts }, answer.job);
                case "gone":
                    return gone(id, await withExpiredJob(id, props, props), now, answer.namesake);
                case "elsewhere":
                case "unknown":
                    return kept(id, props, answer.why);
            }
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
        const live = await find(kube, { namespace, name });
        if (live === undefined || live.metadata?.uid !== uid || isCutShort(live)) {
            await requireSameCluster(kube, news);
            return { outs: withoutJob(id, olds, news, { live, now: kube.now() }) };
        }
        const { interrupt } = news;
        const change = { interrupt, patch: (job: V1Job) => jobPatch(olds.manifest, news, job) };
        const permitted = await permittedPatch(kube, live, change);
        const isMountedChanged = !isDeepStrictEqual(mountedOf(olds), mountedOf(news));
        if (isMountedChanged) {
            await makeMounted(kube, news);
        }
        const { answer, patch } = await patchPermitted(kube, change, { job: live, patch: permitted });
        if (isMountedChanged) {
            await patchMounted(kube, news, olds);
        }
        return { outs: outputs(news, { ...seenOf(olds, live), admitted: admittedAfter(olds, news, patch, answer) }) };
    },

    async delete(id, props) {
        const job = parseId(id);
        const guard = await guardOf(toldOf(props));
        const isSame = async (kube: Kube) =>
            (await isClusterOf(kube, knownJob(job.uid, props))) || isSuccessors(kube, props);
        const remove = (kube: Kube) => removeBoth(kube, job, props, guard);
        // The key of the cluster may have older credentials.
        rememberAccess(props);
        try {
            await withAccess(props, isSame, remove);
        } catch (error) {
            if (!isForgettable((error as Error).cause)) {
                throw error;
            }
        }
    },
};

function mountedOf({ code, files, secret }: IndexedJobInputs): unknown {
    return [files, secret, code?.missing];
}

/** The outputs of an update without a Job: nothing is left to change in one that has ended. */
function withoutJob(
    id: string,
    olds: IndexedJobOutputs,
    news: IndexedJobInputs,
    { live, now }: { readonly live?: V1Job; readonly now: Date },
): IndexedJobOutputs {
    if (olds.finished || (live === undefined && mayHaveGone(olds, now))) {
        return outputs(news, { ...seenOf(olds, live), finished: true, admitted: olds.admitted });
    }
    const { name, namespace } = parseId(id);
    throw new Error(`Job ${namespace}/${name} was deleted by another client. Run pulumi refresh, then update again.`);
}

/**
 * Reverts changes by other clients to a Job since its interrupted creation, and returns the values that the API server
 * changed. If that would end a running command, the changes stay: they are drift, as after any other create.
 */
async function mend(kube: Kube, inputs: IndexedJobInputs, job: V1Job): Promise<readonly Admitted[] | undefined> {
    // Only a change of the spec raises the generation, and its values are then the API server's. Labels may differ.
    const isFirst = job.metadata?.generation === 1;
    const whole = isFirst || (await mayBeEnded(kube, job, inputs)) ? jobPatch(inputs.manifest, inputs, job) : undefined;
    const patch = isFirst ? textsOf(whole) : whole;
    const admittedBefore = isFirst ? admittedOf : admittedForGood;
    const { name, namespace } = inputs.manifest.metadata as { name: string; namespace: string };
    try {
        const answer = patch === undefined ? undefined : await kube.patchJob(namespace, name, patch);
        return admittedAfter({ admitted: admittedBefore(inputs.manifest, job) }, inputs, patch, answer);
    } catch (error) {
        throw new Error(`Job ${namespace}/${name} can't be changed back to its manifest: ${sentence(error)}`, {
            cause: error,
        });
    }
}

/** The result of a refresh for a live Job. */
function seen(id: string, props: IndexedJobOutputs, live: V1Job) {
    const manifest = liveManifest(props.manifest, live, props.admitted, props.sizedBy);
    const end = ending(live);
    const failure = end?.failed ? end.reason : undefined;
    return unchanged(id, {
        ...props,
        manifest,
        finished: end !== undefined,
        failure,
        createdAt: createdAtOf(live),
    });
}

/**
 * The result of a refresh for a missing Job. One that its TTL removed stays in the state as `finished`, so `update`
 * skips it.
 */
function gone(id: string, props: IndexedJobOutputs, now: Date, live: V1Job | undefined) {
    return live === undefined && mayHaveGone(props, now) ? unchanged(id, { ...props, finished: true }) : {};
}

/** The result of a refresh that tells nothing of the Job: it may be in another cluster. */
function kept(id: string, props: IndexedJobOutputs, why: string) {
    warner(props.resourceUrn, parseId(id).name)(`The Job stays in the state, and may still run: ${why}.`);
    return unchanged(id, props);
}

/** Tells changes of the pod template by webhooks for Jobs. JobStatus tells those of the pods, if they differ from it. */
function warnMutated({ manifest, resourceUrn }: IndexedJobInputs, { spec }: V1Job): void {
    const mutation = mutationOf(manifest, { spec: spec?.template?.spec });
    if (mutation?.isGrave) {
        warner(resourceUrn, manifest.metadata.name)(`admission has changed the Job: ${mutation.text}`);
    }
}

function unchanged(id: string, props: IndexedJobOutputs) {
    return { id, props: defined(props), inputs: inputsOf(props, OUTPUTS) };
}

type Seen = Pick<IndexedJobOutputs, "admitted" | "clusterMark" | "createdAt" | "failure" | "finished">;

function seenOf({ clusterMark: mark, createdAt, failure, finished }: IndexedJobOutputs, live?: V1Job): Seen {
    return { failure, finished, clusterMark: mark, createdAt: createdAt ?? (live && createdAtOf(live)) };
}

function outputs(inputs: IndexedJobInputs, seen: Seen): IndexedJobOutputs {
    return defined({ ...inputs, schemaVersion: SCHEMA_VERSION, ...seen });
}

/** True if new credentials lead to the same API server, in which the Service of the Job's successor is another one. */
async function isSuccessors(kube: Kube, props: IndexedJobOutputs): Promise<boolean> {
    const wanted = wantedNow(props);
    const isKnown = wanted !== undefined && !isUnknown([wanted.lead, wanted.manifest]);
    return isKnown && isSameServer(kube, connect(props)) && isSameCluster(kube, wanted);
}
