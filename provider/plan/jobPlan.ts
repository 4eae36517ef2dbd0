import { FLUX_CONTAINER } from "../contract/names";
import type { ClusterName } from "../flux/job";
import { JobList, type LiveJob, type LiveJobs } from "../flux/liveJobs";
import type { FluxSubmissionOutputs } from "../fluxSubmission/properties";
import { BRIEF } from "../indexedJob/work";
import { BRIEFLY, connect } from "../kube/client";
import type { ClusterAccess } from "../kube/clusterAccess";
import { sentence } from "../kube/failure";
import { findLead } from "../pods/lead";
import { accessOf } from "./access";
import type { Change, Operation } from "./digest";

/** Number of jobs that wait which a look at a lead asks for. */
const MOST_PENDING = 1000;

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
    const asked = new Map<string, Promise<LiveJobs>>();
    const jobsOf = (old: FluxSubmissionOutputs): Promise<LiveJobs> => {
        const key = placeOf(old.cluster);
        const jobs = asked.get(key) ?? ask(old, given);
        asked.set(key, jobs);
        return jobs;
    };
    const ending = changes.filter(({ operation }) => operation === "delete" || operation === "replace");
    return Promise.all(ending.map((change) => planJob(change, jobsOf)));
}

async function planJob(
    { old, operation, urn }: Change<FluxSubmissionOutputs>,
    jobsOf: (old: FluxSubmissionOutputs) => Promise<LiveJobs>,
): Promise<JobPlan> {
    if (old === undefined) {
        throw new Error(`The plan has no state of ${urn}.`);
    }
    const { cluster, jobId, jobIds = [], jobName } = old;
    const base = { urn, name: jobName, cluster: placeOf(cluster), operation, jobId };
    // The state has no ids of a large array, but its elements have its name.
    const isOwn = (job: LiveJob) => job.jobId === jobId || jobIds.includes(job.jobId) || job.name === jobName;
    try {
        const { pending, running } = await jobsOf(old);
        const own = { running: running.filter(isOwn), pending: pending.filter(isOwn) };
        return { ...base, ...own, kills: own.running.length > 0 };
    } catch (error) {
        return { ...base, running: [], pending: [], unknown: sentence(error), kills: true };
    }
}

function placeOf({ name, namespace }: ClusterName): string {
    return `${namespace}/${name}`;
}

async function ask(old: FluxSubmissionOutputs, given: ClusterAccess): Promise<LiveJobs> {
    const { cluster, clusterUid } = old;
    const kube = connect(accessOf(given, old), BRIEFLY);
    const lead = await findLead(kube, cluster.namespace, cluster.name, clusterUid);
    if (lead.state !== "ready") {
        return { running: [], pending: [] };
    }
    const container = { ...lead.container, container: FLUX_CONTAINER };
    return new JobList(kube, container, new AbortController().signal).list(BRIEF, MOST_PENDING);
}
