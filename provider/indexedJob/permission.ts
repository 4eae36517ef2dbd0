import type { V1Job } from "@kubernetes/client-node";

import { programRuns } from "../engine/program";
import { BRIEFLY, connect, type Kube } from "../kube/client";
import { hasCode, ifThere, sentence } from "../kube/failure";
import { isGone } from "../kube/gone";
import type { JobId } from "../kube/jobId";
import { CURE, replacementRefusal } from "./interruption";
import { wantedNow, wasCompared } from "./betweenVerbs";
import type { IndexedJobInputs, IndexedJobOutputs } from "./properties";
import { describeRun } from "./running";

/** Says why a Job whose command runs is not deleted. Undefined if nothing forbids to delete it. */
export type Guard = ((job: V1Job, running: string) => string) | undefined;

/**
 * Decides whether a deletion may end a running command. Pulumi deletes a resource by the same call when it replaces it,
 * when it has left the program, and in `pulumi destroy`, which alone is a permission. A destroy calls no `check` and runs
 * no program. With `--target` it calls `diff`, as an update does that replaces another resource.
 */
export async function guardOf(olds: IndexedJobOutputs): Promise<Guard> {
    const wanted = wantedNow(olds);
    if ((wanted ?? olds).interrupt === "allow") {
        return undefined;
    }
    if (wanted !== undefined) {
        return replacementRefusal;
    }
    return ((await programRuns()) ?? wasCompared(olds)) ? departureRefusal : undefined;
}

function departureRefusal(job: V1Job, running: string): string {
    const { name, namespace } = job.metadata ?? {};
    return (
        `Job ${namespace}/${name} is not deleted, because its command ${running}. Its MiniCluster is not in the program ` +
        `any more, or is replaced together with another resource. ${CURE} ${OWN_UPDATE} ` +
        "pulumi destroy without --target also deletes it."
    );
}

/**
 * Fails if the command of the Job runs, for a `diff` without a `check`: the engine asks which resources it must delete
 * before it replaces another one, here the lead Service, whose deletion deletes the Job. A preview must work without the
 * cluster; `delete` judges again.
 */
export async function refuseWithLead(job: JobId, olds: IndexedJobInputs): Promise<void> {
    if (olds.interrupt === "allow" || (await programRuns()) !== true) {
        return;
    }
    const kube = connect(olds, BRIEFLY);
    const { running } = (await findRun(kube, job).catch(() => undefined)) ?? {};
    if (running !== undefined) {
        throw new Error(leadRefusal(job, running));
    }
}

function leadRefusal({ name, namespace }: JobId, running: string): string {
    return (
        `Job ${namespace}/${name} is not replaced together with its lead Service, because its command ${running}. ${CURE} ` +
        OWN_UPDATE
    );
}

const OWN_UPDATE = "The program must set it in an update of its own, before this one.";

/** Fails if the command of the Job runs, or if that can't be known. Returns the version of the Job that was judged. */
export async function permitDeletion(kube: Kube, job: JobId, guard: Guard): Promise<string | undefined> {
    if (guard === undefined) {
        return undefined;
    }
    const found = await judged(job, () => findRun(kube, job));
    if (found?.running !== undefined) {
        throw new Error(guard(found.live, found.running));
    }
    return found?.live.metadata?.resourceVersion;
}

/** The live Job, and how its command runs; undefined if this Job doesn't exist any more. */
async function findRun(kube: Kube, job: JobId): Promise<{ live: V1Job; running?: string } | undefined> {
    const live = await look(kube, job);
    return live?.metadata?.uid === job.uid ? { live, running: await describeRun(kube, live, new Date()) } : undefined;
}

function look(kube: Kube, { name, namespace }: JobId): Promise<V1Job | undefined> {
    return ifThere(kube.getJob(namespace, name));
}

async function judged<T>({ name, namespace }: JobId, call: () => Promise<T>): Promise<T> {
    try {
        return await call();
    } catch (error) {
        throw new Error(
            `Job ${namespace}/${name} is not deleted: it can't be read, and its command may be running: ` +
                `${sentence(error)}. Restore the access to the cluster, or set interrupt to "allow".`,
            { cause: error },
        );
    }
}

/** How often a deletion is tried of a Job that changes between the judgement and the deletion. */
const MOST_TRIES = 20;

/** Deletes a Job as it was judged; judges it again if it has changed since. False if it doesn't exist. */
export async function deletePermitted(kube: Kube, job: JobId, guard: Guard): Promise<boolean> {
    for (let tries = 1; ; tries++) {
        const version = await permitDeletion(kube, job, guard);
        try {
            await kube.deleteJob(job.namespace, job.name, job.uid, version);
            return true;
        } catch (error) {
            if (await isGone(error, job.uid, () => look(kube, job))) {
                return false;
            }
            if (version === undefined || !hasCode(error, 409) || tries >= MOST_TRIES) {
                const { name, namespace } = job;
                throw new Error(`Job ${namespace}/${name} can't be deleted: ${sentence(error)}`, { cause: error });
            }
        }
    }
}
