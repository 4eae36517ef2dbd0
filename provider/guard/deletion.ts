import type { V1Job } from "@kubernetes/client-node";

import { type Report, warner } from "../host/log";
import { programRuns } from "../host/program";
import { BRIEFLY, connect, type Kube } from "../kubernetes/client";
import type { ClusterAccess } from "../kubernetes/kubeconfig/clusterAccess";
import { isUnreached } from "../kubernetes/failures/connectionTrouble";
import { hasCode, sentence } from "../kubernetes/failures/failure";
import { isGone } from "../kubernetes/failures/gone";
import type { JobId } from "../kubernetes/jobId";
import { FORGET, hasMoved, mayForget } from "../kubernetes/kubeconfig/unreachable";
import { jobNamed } from "../observe/job";
import { replacementRefusal } from "./change";
import { mayDelete, type Told } from "./permission";
import { workOf } from "./running";
import { BRIEF, MOST_TRIES, obstacle, type Obstacle, PERMITTED, THOROUGH, type Work } from "./work";

/** Says why a Job that works is not deleted. Undefined if nothing forbids to delete it. */
export type Guard = ((job: V1Job, obstacle: Obstacle) => string) | undefined;

/** Decides whether a deletion of a Job may end running work. */
export async function guardOf(told: Told): Promise<Guard> {
    if (await mayDelete(told)) {
        return undefined;
    }
    return told.isChecked ? replacementRefusal : departureRefusal;
}

function departureRefusal(job: V1Job, { blocked, cure }: Obstacle): string {
    const { name, namespace } = job.metadata ?? {};
    return (
        `Job ${namespace}/${name} is not deleted, because its ${blocked}. Its MiniCluster is not in the program ` +
        `any more, or is replaced together with another resource. ${cure} ${OWN_UPDATE} ` +
        "pulumi destroy without --target also deletes it."
    );
}

/** The access and the lead Service of a Job. */
interface Access extends ClusterAccess {
    readonly lead: { readonly name: string };
    readonly resourceUrn?: string;
}

interface Interruptible {
    readonly interrupt: string;
}

/**
 * Fails if the Job works, for a `diff` without a `check`: the engine asks which resources it must delete
 * before it replaces another one, here the lead Service, whose deletion deletes the Job. Else says why the Job is replaced.
 * A preview must work without the cluster; `delete` judges again.
 */
export async function refuseWithLead(job: JobId, olds: Access, news: Access & Interruptible): Promise<void> {
    if ((await programRuns()) !== true) {
        return;
    }
    await refuseLostAddress(job, olds);
    if (news.interrupt === "allow") {
        return;
    }
    const find = async () => findWork(connect(news, BRIEFLY), job, BRIEF);
    const { work } = (await find().catch(() => undefined)) ?? {};
    const { cure, running, unknown } = work ?? {};
    const subject = `Job ${job.namespace}/${job.name}`;
    if (running !== undefined) {
        throw new Error(
            `${subject} is not replaced together with its lead Service, because its ${running}. ${cure} ` +
                `${OWN_UPDATE} ${SAME_CLUSTER}`,
        );
    }
    const doubt = unknown && ` It isn't known which Flux jobs that ends: ${unknown}. Its deletion asks again.`;
    const text = `is replaced together with its lead Service.${doubt ?? ""} ${SAME_CLUSTER}`;
    warner(news.resourceUrn, job.name)(`${subject} ${text}`);
}

/**
 * Fails if the Job would be deleted by a new address of its cluster, and its Service can't be deleted by the old one: a
 * Kubernetes provider that is replaced deletes its objects with its old configuration.
 */
async function refuseLostAddress(job: JobId, olds: Access): Promise<void> {
    // The engine asks with the inputs of the state. What the program gives now is known from other resources.
    if (mayForget() || !(await hasMoved(olds))) {
        return;
    }
    const read = async () => connect(olds, BRIEFLY).getService(job.namespace, olds.lead.name);
    const failure = await read().then(
        () => undefined,
        (error: unknown) => error,
    );
    if (isUnreached(failure)) {
        throw new Error(
            `Job ${job.namespace}/${job.name} is not replaced together with its lead Service, because the Kubernetes provider ` +
                `deletes the Service at ${connect(olds).server}, which can't be reached: ${sentence(failure)}. ${SAME_CLUSTER} ` +
                `That update needs no API server. If the cluster doesn't exist any more, ${FORGET}.`,
        );
    }
}

/** The Kubernetes provider compares the cluster's entry in the kubeconfig, and replaces its objects if that differs. */
const SAME_CLUSTER =
    "If only the address or the authority of the same API server has changed, give the Kubernetes provider " +
    "clusterIdentifier in an update before that change.";

const OWN_UPDATE = "The program must set it in an update of its own, before this one.";

/** Fails if the Job works, or if that can't be known. Returns the version of the Job that was judged. */
export async function permitDeletion(kube: Kube, job: JobId, guard: Guard): Promise<string | undefined> {
    if (guard === undefined) {
        return undefined;
    }
    const found = await judged(job, () => findWork(kube, job, THOROUGH));
    const blocked = found?.work && obstacle(found.work);
    if (found !== undefined && blocked !== undefined) {
        throw new Error(guard(found.live, blocked));
    }
    return found?.live.metadata?.resourceVersion;
}

/** The live Job and its work; undefined if this Job doesn't exist any more. */
async function findWork(kube: Kube, job: JobId, seconds: number): Promise<{ live: V1Job; work?: Work } | undefined> {
    const live = await jobNamed(kube, job);
    return live?.metadata?.uid === job.uid
        ? { live, work: await workOf(kube, live, { now: kube.now(), seconds }) }
        : undefined;
}

/** Tells what a deletion that is permitted ends, or that it isn't known. Never fails. */
export async function tellWork(kube: Kube, job: JobId, report: Report): Promise<void> {
    const found = await findWork(kube.briefly(), job, PERMITTED).catch((error: unknown): { work: Partial<Work> } => ({
        work: { unknown: sentence(error) },
    }));
    const { pending, running, unknown } = found?.work ?? {};
    [
        running && `is deleted although its ${running}`,
        pending && `is deleted: ${pending}`,
        unknown && `is deleted; it isn't known which Flux jobs that ends: ${unknown}`,
    ].forEach((line) => line && report(line));
}

async function judged<T>({ name, namespace }: JobId, call: () => Promise<T>): Promise<T> {
    try {
        return await call();
    } catch (error) {
        throw new Error(
            `Job ${namespace}/${name} is not deleted: it can't be read, and its command or Flux jobs may be running: ` +
                `${sentence(error)}. Restore the access to the cluster, or set interrupt to "allow".`,
            { cause: error },
        );
    }
}

/** Deletes a Job as it was judged; judges it again if it has changed since. False if it doesn't exist. */
export async function deletePermitted(kube: Kube, job: JobId, guard: Guard): Promise<boolean> {
    for (let tries = 1; ; tries++) {
        const version = await permitDeletion(kube, job, guard);
        try {
            await kube.deleteJob(job.namespace, job.name, job.uid, version);
            return true;
        } catch (error) {
            if (await isGone(error, job.uid, () => jobNamed(kube, job))) {
                return false;
            }
            if (version === undefined || !hasCode(error, 409) || tries >= MOST_TRIES) {
                const { name, namespace } = job;
                throw new Error(`Job ${namespace}/${name} can't be deleted: ${sentence(error)}`, { cause: error });
            }
        }
    }
}
