import type { CoreV1Event, V1Job, V1Pod } from "@kubernetes/client-node";

import { INDEX_LABEL, JOB_NAME_LABEL } from "../../provider/contract/labels";
import { FLUX_CONTAINER } from "../../provider/contract/names";
import { type History, HistoryReader } from "../../provider/flux/history";
import { hasCode, sentence } from "../../provider/kubernetes/failures/failure";
import { ending } from "../../provider/kubernetes/job";
import { listAll } from "../../provider/kubernetes/list";
import { jobNamed } from "../../provider/observe/job";
import { heldBy, isHeld } from "../../provider/kubernetes/sleep";
import { isArchived } from "../../provider/observe/pods/archive";
import { isReady, type Pod, summarize } from "../../provider/observe/pods/pod";
import { lastTimeOf } from "../../provider/observe/pods/warnings";
import type { Told } from "../../provider/results/list";
import { readTold } from "../../provider/results/told";
import { noCluster } from "../target/clusters";
import { parameterOf } from "../../provider/record/ran";
import type { Target } from "../target/target";
import { rankIn } from "./podRuns";
import type { RecordedOutputs } from "../target/stack";

/** What the report is made from. Nothing here is changed by the report. */
export interface Source {
    readonly name: string;
    readonly namespace: string;
    /** Milliseconds since 1970: when it was read. */
    readonly now: number;
    /** Undefined if it doesn't exist any more. */
    readonly job?: V1Job;
    /** Of this Job only. */
    readonly pods: readonly V1Pod[];
    /** Of this Job and pods of its name. */
    readonly events: readonly CoreV1Event[];
    readonly history?: History;
    /** What the lead's log says of the results of its command. */
    readonly told?: Told;
    /** What the stack's outputs recorded, if a stack selects the cluster. */
    readonly recorded: RecordedOutputs;
    /** What could not be read, each with the reason. */
    readonly unread: readonly string[];
}

/** Jobs that a report has at most: the last ones to be submitted. */
export const MOST_JOBS = 20_000;

/** Milliseconds of all requests. */
const PATIENCE = 120_000;

/**
 * Reads a cluster with four requests: its Job, its pods, Events, and one command in the lead; with `results` also the end of the
 * lead's log. Long lists come in pages.
 */
export async function readSource(target: Target): Promise<Source> {
    const { kube, name, namespace } = target;
    const signal = AbortSignal.timeout(PATIENCE);
    const unread: string[] = [];
    const recorded = target.outputs ?? {};
    const found = await jobNamed(kube, target);
    const isOther = target.uid !== undefined && found?.metadata?.uid !== target.uid;
    const job = isOther ? undefined : found;
    if (job === undefined) {
        if (recorded.phase === undefined) {
            throw new Error(noCluster(kube, namespace, name));
        }
        const why =
            found === undefined
                ? `is not in the cluster at ${kube.server}`
                : "has the name of the stack's cluster, but another UID";
        const what = recorded.record ? "Kubernetes' warnings, replaced pods" : "The Job, its pods";
        unread.push(`${what} and Flux' jobs: Job ${namespace}/${name} ${why}. The report has the stack's outputs.`);
        return { name, namespace, now: Date.now(), pods: [], events: [], recorded, unread };
    }
    const orNone = async <T>(what: string, right: string, list: Promise<T[]>): Promise<T[]> =>
        list.catch((error: unknown) => {
            const cure = hasCode(error, 403) ? ` The right to list ${right} is needed.` : "";
            unread.push(`${what}: ${withoutStop(sentence(error))}.${cure}`);
            return [];
        });
    const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}`;
    const query = { labelSelector: `${JOB_NAME_LABEL}=${name}` };
    const [allPods, allEvents] = await Promise.all([
        orNone("Pods", "pods", listAll<V1Pod>(kube, `${path}/pods`, query, signal)),
        orNone("Kubernetes' Events", "events", listAll<CoreV1Event>(kube, `${path}/events`, {}, signal)),
    ]);
    const pods = allPods.filter(({ metadata }) =>
        metadata?.ownerReferences?.some(({ uid }) => uid === job.metadata?.uid),
    );
    const events = allEvents.filter((event) => concerns(event, job, name));
    const history = await readHistory(target, job, pods, signal).catch((error: unknown) => {
        unread.push(`Flux' jobs, the queue and the use of cores: ${withoutStop(sentence(error))}.`);
        return undefined;
    });
    const told = await readResults(target, job, pods).catch((error: unknown) => {
        unread.push(`The results: the lead's log can't be read: ${withoutStop(sentence(error))}.`);
        return undefined;
    });
    return { name, namespace, now: Date.now(), job, pods, events, history, told, recorded, unread };
}

/** What the newest lead says of the results; undefined if there are none, or no lead any more. */
async function readResults({ kube, namespace }: Target, job: V1Job, pods: readonly V1Pod[]): Promise<Told | undefined> {
    const lead = parameterOf(job, "results") === undefined ? undefined : newestLead(pods);
    return lead?.startedAt === undefined ? undefined : readTold(kube, { namespace, name: lead.name });
}

/** The newest pod of rank 0. */
export function newestLead(pods: readonly V1Pod[]): Pod | undefined {
    const leads = pods.map(summarize).filter(({ rank }) => rank === 0);
    return leads.sort((a, b) => b.createdAt - a.createdAt)[0];
}

/** True for an Event about the Job, or about a pod of its name since its creation: an earlier cluster may have had the name. */
function concerns(event: CoreV1Event, { metadata }: V1Job, name: string): boolean {
    const { kind, name: about, uid } = event.involvedObject;
    const isOfPod = kind === "Pod" && rankIn(about, name) !== undefined;
    const createdAt = new Date(metadata?.creationTimestamp ?? 0).getTime();
    return uid === metadata?.uid || (isOfPod && (lastTimeOf(event) ?? 0) >= createdAt);
}

/** Asks the lead, if it runs. */
async function readHistory(
    { kube, namespace }: Target,
    job: V1Job,
    pods: readonly V1Pod[],
    signal: AbortSignal,
): Promise<History> {
    const lead = pods
        .filter(({ metadata }) => metadata?.labels?.[INDEX_LABEL] === "0")
        .map(summarize)
        .find((pod) => pod.phase === "Running" && isReady(pod));
    if (lead === undefined) {
        throw new Error(`${whyAway(job)}, and only the lead's broker knows them`);
    }
    return new HistoryReader(kube, { namespace, pod: lead.name, container: FLUX_CONTAINER }, signal).read(MOST_JOBS);
}

/** Why there is no lead to ask. */
function whyAway(job: V1Job): string {
    const archive = isArchived(job) ? "; the jobs are in its archive, and a report after the next start has them" : "";
    if (ending(job) !== undefined) {
        return "the cluster has ended";
    }
    if (isHeld(job)) {
        return `the cluster is ${heldBy(job)}${archive}`;
    }
    return "the lead is not ready";
}

function withoutStop(text: string): string {
    return text.replace(/\.$/, "");
}
