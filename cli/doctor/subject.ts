import type { V1Job, V1Pod } from "@kubernetes/client-node";

import type { Survey } from "../../provider/judge/fit/survey";
import type { Kube } from "../../provider/kubernetes/client";
import { isHeld } from "../../provider/kubernetes/sleep";
import type { Observation } from "../../provider/observe/pods/observation";
import { summarize } from "../../provider/observe/pods/pod";
import type { LeadReport } from "./leadReport";

/** Where the doctor looks: a namespace, and a MiniCluster in it, if there is one. */
export interface Place {
    readonly kube: Kube;
    readonly namespace: string;
    /** Name of the cluster; undefined for a place that is new. */
    readonly name?: string;
    /** UID of its Job, if a stack gives it. */
    readonly uid?: string;
    /** What was seen of the cluster; undefined if it isn't there, or couldn't be read. */
    readonly cluster?: Cluster;
    /** A Job of one pod as the cluster's, or as that of a MiniCluster with default arguments. */
    readonly trial: V1Job;
    /** Quotas, LimitRanges and nodes. */
    readonly survey: Survey;
    /** What the lead says; a text is the reason why it says nothing. */
    readonly lead: LeadReport | string;
    /** The user may create pods, so that one can be tried. */
    readonly mayTryPod: boolean;
    /** The texts of the groups before, so that none is told twice. */
    readonly told: readonly string[];
}

/** One look at a cluster. */
export interface Cluster {
    readonly job: V1Job;
    /** All pods of the Job's present run, also those that have ended: see `wantedPods`. */
    readonly pods: readonly V1Pod[];
    readonly seen: Observation;
    /** Why Kubernetes' Events could not be read. */
    readonly noEvents?: string;
    /** The ends of the logs of pods that have no place in the cluster, by the pod's name. */
    readonly logs: ReadonlyMap<string, string>;
}

/** Number of ranks that the Job wants now: none while it sleeps or is suspended. */
export function wantedRanks(job: V1Job): number {
    return isHeld(job) ? 0 : (job.spec?.parallelism ?? 1);
}

/**
 * The pods that say of the Job's present run: those of the ranks that it wants now, created since its start, which
 * Kubernetes sets again when the Job is resumed. A pod that an earlier run has left has no cause any more.
 */
export function wantedPods(job: V1Job, pods: readonly V1Pod[]): V1Pod[] {
    const wanted = wantedRanks(job);
    const { startTime } = job.status ?? {};
    const since = startTime === undefined ? 0 : new Date(startTime).getTime();
    return pods.filter((pod) => {
        const { createdAt, rank } = summarize(pod);
        return rank < wanted && createdAt >= since;
    });
}
