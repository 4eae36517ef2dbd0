import type { V1Job } from "@kubernetes/client-node";

import { FLUX_CONTAINER } from "../../components/manifests/container";
import { leadSelector } from "../../components/names";
import { type Pod, summarize } from "../jobStatus/pod";
import { type Kube, retry } from "./client";
import type { Container } from "./exec";
import { hasCode } from "./failure";
import { ending } from "./job";

/** Rank 0 of a MiniCluster, as far as it is there. */
export type Lead =
    /** There is no such cluster, or another one has its name. */
    | { readonly state: "gone" }
    | { readonly state: "ended"; readonly uid: string }
    | { readonly state: "away"; readonly uid: string; readonly why: string }
    | { readonly state: "ready"; readonly uid: string; readonly container: Container };

/** Looks for rank 0 of a cluster; of this one, where its Job's UID is given. */
export async function findLead(kube: Kube, namespace: string, name: string, wanted?: string): Promise<Lead> {
    const job = await findJob(kube, namespace, name);
    const uid = job?.metadata?.uid;
    if (job === undefined || uid === undefined || ![undefined, uid].includes(wanted)) {
        return { state: "gone" };
    }
    if (ending(job) !== undefined) {
        return { state: "ended", uid };
    }
    if (job.spec?.suspend) {
        return { state: "away", uid, why: "it is suspended" };
    }
    const pod = await findPod(kube, namespace, name, uid);
    if (pod === undefined) {
        return { state: "away", uid, why: "rank 0 has no quorum yet" };
    }
    return { state: "ready", uid, container: { namespace, pod: pod.name, container: FLUX_CONTAINER } };
}

async function findJob(kube: Kube, namespace: string, name: string): Promise<V1Job | undefined> {
    try {
        return await kube.getJob(namespace, name);
    } catch (error) {
        if (hasCode(error, 404)) {
            return undefined;
        }
        throw error;
    }
}

async function findPod(kube: Kube, namespace: string, name: string, uid: string): Promise<Pod | undefined> {
    const labelSelector = Object.entries(leadSelector(name)).map((pair) => pair.join("=")).join(",");
    const { items } = await retry(() => kube.core.listNamespacedPod({ namespace, labelSelector, limit: 20 }));
    const ours = items.filter(({ metadata }) => metadata?.ownerReferences?.some((owner) => owner.uid === uid)).map(summarize);
    return ours.find(({ deleting, phase, readyAt }) => phase === "Running" && readyAt !== undefined && !deleting);
}
