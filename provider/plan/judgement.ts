import type { V1Job } from "@kubernetes/client-node";

import { fitOf } from "../indexedJob/fit";
import type { IndexedJobInputs } from "../indexedJob/properties";
import { BRIEFLY, connect } from "../kube/client";
import type { ClusterAccess } from "../kube/clusterAccess";
import { ifThere } from "../kube/failure";
import { accessOf } from "./access";
import type { ClusterPlan } from "./clusterPlan";
import { nodeHoursOf } from "./nodeHours";

/** What a policy judges of a MiniCluster, by its arguments and the Kubernetes cluster. */
export interface Judgement {
    /** Hours of nodes that all pods of the cluster take at most; null without a time limit. */
    readonly nodeHours: number | null;
    /** Whether its pods fit; undefined if that can't be known. */
    readonly fit?: ClusterPlan["fit"];
    /** True if `interrupt` permits an update to end running work. With `refuse`, the preview itself fails. */
    readonly permitsKill: boolean;
}

/**
 * Judges the inputs of an IndexedJob. A policy fails if it reads a value that is unknown at preview, so only the fit reads
 * what may be unknown, and is left out then.
 */
export async function judge(inputs: IndexedJobInputs, given: ClusterAccess): Promise<Judgement> {
    const { interrupt, manifest, maxSize, sizedBy } = inputs;
    const judged = { nodeHours: nodeHoursOf({ manifest, maxSize, sizedBy }), permitsKill: interrupt === "allow" };
    try {
        const fit = await judgeFit(inputs, given);
        return fit === undefined ? judged : { ...judged, fit };
    } catch {
        return judged;
    }
}

/** As of a new cluster, whose pods take the place of those that it has. */
async function judgeFit(inputs: IndexedJobInputs, given: ClusterAccess): Promise<ClusterPlan["fit"]> {
    const { manifest, minSize } = inputs;
    const access = given.kubeconfig === undefined ? accessOf(given, inputs) : given;
    const live = liveJob(access, manifest.metadata as { name: string; namespace: string });
    const verdict = await fitOf(live, {
        olds: {},
        news: { manifest, minSize, fit: "warn", ...access } as IndexedJobInputs,
    });
    return verdict && { class: verdict.class, text: verdict.text };
}

/** The Job of this name; undefined if it can't be read. */
async function liveJob(
    access: ClusterAccess,
    { name, namespace }: { readonly name: string; readonly namespace: string },
): Promise<V1Job | undefined> {
    try {
        return await ifThere(connect(access, BRIEFLY).getJob(namespace, name));
    } catch {
        return undefined;
    }
}
