import type { ClusterName } from "../flux/job";
import type { LiveJob } from "../flux/liveJobs";
import { placeOf as clusterOf } from "../flux/clusterPlace";
import type { FluxSubmissionOutputs } from "../fluxSubmission/properties";
import { BRIEF, mayRun, untold, type Work, workOf } from "../guard/guard";
import { BRIEFLY, connect } from "../kubernetes/client";
import type { ClusterAccess } from "../kubernetes/kubeconfig/clusterAccess";
import { sentence } from "../kubernetes/failures/failure";
import { locate } from "../observe/job";
import { accessOf } from "./access";
import { MOST_PENDING } from "./clusterPlan";
import type { Change, Operation } from "./digest";

/** A FluxJob whose job, or whose array's elements, the change cancels. */
export interface JobPlan {
    readonly urn: string;
    readonly name: string;
    readonly cluster: string;
    readonly operation: Operation;
    readonly jobId: string;
    readonly running: readonly LiveJob[];
    readonly pending: readonly LiveJob[];
    /** Why it isn't known whether it runs. */
    readonly unknown?: string;
    readonly kills: boolean;
}

/** Judges the FluxJobs that the change removes or submits again. Each cluster is asked once. */
export function planJobs(
    changes: readonly Change<FluxSubmissionOutputs>[],
    given: ClusterAccess,
): Promise<readonly JobPlan[]> {
    const asked = new Map<string, Promise<Work | undefined>>();
    const workAt = (old: FluxSubmissionOutputs): Promise<Work | undefined> => {
        const access = accessOf(given, old);
        const key = JSON.stringify([access, clusterOf(old)]);
        const work = asked.get(key) ?? ask(old, access);
        asked.set(key, work);
        return work;
    };
    const ending = changes.filter(({ operation }) => operation === "delete" || operation === "replace");
    return Promise.all(ending.map((change) => planJob(change, workAt)));
}

async function planJob(
    { old, operation, urn }: Change<FluxSubmissionOutputs>,
    workAt: (old: FluxSubmissionOutputs) => Promise<Work | undefined>,
): Promise<JobPlan> {
    if (old === undefined) {
        throw new Error(`The plan has no state of ${urn}.`);
    }
    const { cluster, jobId, jobName } = old;
    const base = { urn, name: jobName, cluster: placeOf(cluster), operation, jobId };
    const nothing = { running: [], pending: [] };
    try {
        const work = mayRun(old) ? await workAt(old) : undefined;
        const { jobs = nothing } = work ?? {};
        const running = jobs.running.filter((job) => isOwn(old, job));
        const unknown = work && untold(work);
        return {
            ...base,
            running,
            pending: jobs.pending.filter((job) => isOwn(old, job)),
            ...(unknown === undefined ? {} : { unknown }),
            kills: running.length > 0 || work?.unknown !== undefined,
        };
    } catch (error) {
        return { ...base, ...nothing, unknown: sentence(error), kills: true };
    }
}

/** The state has no ids of a large array, but its elements have its name. */
function isOwn({ array, jobId, jobIds = [], jobName }: FluxSubmissionOutputs, job: LiveJob): boolean {
    const hasNoIds = (array ?? undefined) !== undefined && jobIds.length === 0;
    return job.jobId === jobId || jobIds.includes(job.jobId) || (hasNoIds && job.name === jobName);
}

function placeOf({ name, namespace }: ClusterName): string {
    return `${namespace}/${name}`;
}

/** What the cluster of a FluxJob runs; undefined if it doesn't exist any more, or if nothing runs on it. */
async function ask(old: FluxSubmissionOutputs, access: ClusterAccess): Promise<Work | undefined> {
    const kube = connect(access, BRIEFLY);
    const answer = await locate(kube, clusterOf(old));
    const look = { now: kube.now(), seconds: BRIEF, mostPending: MOST_PENDING };
    switch (answer.where) {
        case "gone":
            return undefined;
        case "here":
            return workOf(kube, answer.job, look);
        case "elsewhere":
        case "unknown":
            throw new Error(`${answer.why}; give --kubeconfig or --context of its cluster`);
    }
}
