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

/** Judges the inputs of an IndexedJob. Reads of them only what it needs: a policy fails if it reads an unknown value. */
export async function judge(inputs: IndexedJobInputs, given: ClusterAccess): Promise<Judgement> {
    const { context, interrupt, kubeconfig, manifest, maxSize, minSize, sizedBy } = inputs;
    const access = accessOf(given, { context, kubeconfig });
    const live = liveJob(access, manifest.metadata as { name: string; namespace: string });
    // As a new cluster, whose pods take the place of those that it has.
    const news = { manifest, minSize, fit: "warn", ...access } as IndexedJobInputs;
    const verdict = await fitOf(live, { olds: {}, news });
    return {
        nodeHours: nodeHoursOf({ manifest, maxSize, sizedBy }),
        permitsKill: interrupt === "allow",
        ...(verdict === undefined ? {} : { fit: { class: verdict.class, text: verdict.text } }),
    };
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
