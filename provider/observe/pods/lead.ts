import type { V1Job, V1Pod, V1PodStatus } from "@kubernetes/client-node";

import { ANNOTATIONS, leadSelector } from "../../contract/labels";
import type { LeadMark } from "../../contract/lead";
import { FLUX_CONTAINER } from "../../contract/names";
import { type Kube, retry } from "../../kubernetes/client";
import type { Container } from "../../kubernetes/streams/exec";
import { ending } from "../../kubernetes/job";
import type { JobId } from "../../kubernetes/jobId";
import { heldBy, isGated, isHeld } from "../../kubernetes/sleep";
import { type Answer, type KnownJob, locate, markOf } from "../job";
import { isArchived } from "./archive";
import { describeNode } from "./lostNode";
import { type Pod, summarize } from "./pod";

/** Why rank 0 of a suspended cluster is away; it comes back only when a user resumes the cluster. */
export const SUSPENDED = "the cluster is suspended";

/** Why rank 0 of a cluster in a queue is away; it comes back when Kueue admits the cluster. */
export const QUEUED = "the cluster waits in its queue";

/** Why rank 0 of a cluster without pods is away. */
const HELD = { asleep: "the cluster is asleep", queued: QUEUED, suspended: SUSPENDED } as const;

/** State of rank 0 of a MiniCluster. */
export type Lead =
    /** The cluster doesn't exist any more. */
    | { readonly state: "gone" }
    /** The cluster may exist in another Kubernetes cluster. */
    | { readonly state: "unknown"; readonly why: string }
    | { readonly state: "ended"; readonly uid: string }
    | Away
    | { readonly state: "ready"; readonly uid: string; readonly container: Container; readonly mark?: LeadMark };

export interface Away {
    readonly state: "away";
    readonly uid: string;
    readonly why: string;
    /** True if its queue is not lost with its pod: the pod still runs, or the queue is on a volume. */
    readonly keepsQueue: boolean;
    /** True if its queue is kept and may have jobs: the lead has been ready, or the queue is on a volume. */
    readonly mayHaveJobs: boolean;
    /** The Job of a cluster that sleeps: a job wakes it. */
    readonly asleep?: V1Job;
    /** True if its cluster sleeps or runs as jobs need it, so that the lead comes without a user. */
    readonly comes: boolean;
}

/** True for a lead that may be away for any time. */
export function isLongAway({ why }: Away): boolean {
    return why === SUSPENDED || why === QUEUED;
}

/** Looks for rank 0 of a cluster. */
export async function findLead(kube: Kube, known: KnownJob): Promise<Lead> {
    const answer = await locate(kube, known);
    if (answer.where !== "here") {
        return withoutJob(answer);
    }
    const { name, namespace } = known;
    const uid = answer.job.metadata?.uid ?? "";
    if (ending(answer.job) !== undefined) {
        return { state: "ended", uid };
    }
    const lead = await leadOf(kube, answer.job, { namespace, name, uid });
    if (lead.state !== "away" || lead.keepsQueue) {
        return lead;
    }
    // Another server may have answered the list of pods, which has none of them.
    const again = await locate(kube, known);
    return again.where === "here" ? lead : withoutJob(again);
}

function withoutJob(answer: Exclude<Answer, { where: "here" }>): Lead {
    return answer.where === "gone" ? { state: "gone" } : { state: "unknown", why: answer.why };
}

async function leadOf(kube: Kube, job: V1Job, { name, namespace, uid }: JobId): Promise<Lead> {
    if (isHeld(job)) {
        const held = heldBy(job);
        const asleep = held === "asleep" ? job : undefined;
        return {
            state: "away",
            uid,
            why: HELD[held],
            keepsQueue: isArchived(job),
            mayHaveJobs: isArchived(job),
            asleep,
            comes: held !== "suspended",
        };
    }
    const all = await listLeadPods(kube, { namespace, name, uid });
    const running = all.filter(({ status }) => status?.phase === "Running");
    const pods = running.map(summarize);
    const ready = pods.find(({ deleting, readyAt }) => readyAt !== undefined && !deleting);
    if (ready === undefined) {
        return {
            state: "away",
            uid,
            why: pods.flatMap(whyLost).at(0) ?? (all.some(isGated) ? QUEUED : "the lead has no quorum yet"),
            keepsQueue: pods.length > 0 || isArchived(job),
            mayHaveJobs: running.some(wasReady) || isArchived(job),
            comes: job.metadata?.annotations?.[ANNOTATIONS.elasticSettings] !== undefined,
        };
    }
    const container = { namespace, pod: ready.name, container: FLUX_CONTAINER };
    return { state: "ready", uid, container, mark: markOf(job) };
}

function whyLost(pod: Pod): string[] {
    return pod.silentSince === undefined ? [] : [`${pod.name} ${describeNode(pod)}`];
}

/** False if the pod was never ready: then its condition hasn't changed since its container started. */
function wasReady({ status = {} }: V1Pod): boolean {
    const ready = status.conditions?.find(({ type }) => type === "Ready");
    const [since, start] = [ready?.lastTransitionTime, startOf(status)].map(time);
    return ready?.status === "True" || since === undefined || start === undefined || since > start;
}

function startOf({ containerStatuses }: V1PodStatus): Date | undefined {
    return containerStatuses?.find(({ name }) => name === FLUX_CONTAINER)?.state?.running?.startedAt;
}

function time(date: Date | string | undefined): number | undefined {
    return date === undefined ? undefined : new Date(date).getTime();
}

/** The pods of rank 0 that have not ended. Those that have may be many: a persistent cluster starts its lead again and again. */
export async function listLeadPods(kube: Kube, { name, namespace, uid }: JobId): Promise<V1Pod[]> {
    const labelSelector = Object.entries(leadSelector(name))
        .map((pair) => pair.join("="))
        .join(",");
    const fieldSelector = "status.phase!=Failed,status.phase!=Succeeded";
    const list = () => kube.core.listNamespacedPod({ namespace, labelSelector, fieldSelector });
    const { items } = await retry(list, kube.patience.tries);
    return items.filter(({ metadata }) => metadata?.ownerReferences?.some((owner) => owner.uid === uid));
}
