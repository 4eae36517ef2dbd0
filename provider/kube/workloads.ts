import type { KubernetesObject, V1Condition } from "@kubernetes/client-node";

import type { Kube } from "./client";
import { hasCode, ifThere } from "./failure";
import { KUEUE, watchList } from "./watch";

/** The fields that are read of a Workload, in which Kueue keeps its decisions on a Job. */
interface Workload extends KubernetesObject {
    readonly status?: { readonly conditions?: readonly V1Condition[] };
}

/** Versions of Kueue's API. Kueue 0.15 to 0.19 serve both, earlier releases the second, later releases the first. */
const VERSIONS = ["v1beta2", "v1beta1"] as const;

/** Label of a Workload with the UID of its Job. */
const JOB_UID_LABEL = "kueue.x-k8s.io/job-uid";

/**
 * Reports why Kueue has not admitted a Job, until the signal aborts; reports undefined if Kueue has admitted it or
 * gives no reason. Ends without an error if Kueue, or the right to read its Workloads, is missing: a wait doesn't need
 * it.
 */
export async function watchQueue(
    kube: Kube,
    { namespace, uid }: { readonly namespace: string; readonly uid: string },
    report: (reason: string | undefined) => void,
    signal: AbortSignal,
): Promise<void> {
    const handler = {
        listed: (workloads: readonly Workload[]) =>
            report(workloads.map(waitingReason).find((reason) => reason !== undefined)),
        present: (workload: Workload) => report(waitingReason(workload)),
        gone: () => report(undefined),
    };
    for (const version of VERSIONS) {
        try {
            return await watchList(
                kube,
                { kind: "workloads", version, namespace, labelSelector: `${JOB_UID_LABEL}=${uid}` },
                handler,
                signal,
            );
        } catch (error) {
            if (!hasCode(error, 404)) {
                return;
            }
        }
    }
}

/** Why Kueue has not admitted a Job, in one look; undefined if it gives no reason. */
export async function queuedBecause(
    kube: Kube,
    { namespace, uid }: { readonly namespace: string; readonly uid: string },
): Promise<string | undefined> {
    const list = (version: string) =>
        kube.read<{ readonly items?: readonly Workload[] }>(
            `/apis/${KUEUE}/${version}/namespaces/${namespace}/workloads`,
            { labelSelector: `${JOB_UID_LABEL}=${uid}` },
        );
    const [newest, earlier] = VERSIONS;
    const { items = [] } = (await ifThere(list(newest))) ?? (await list(earlier));
    return items.map(waitingReason).find((reason) => reason !== undefined);
}

/** @see https://kueue.sigs.k8s.io/docs/concepts/workload/ */
export function waitingReason({ status }: Workload): string | undefined {
    return status?.conditions?.find(({ status: holds, type }) => type === "QuotaReserved" && holds === "False")
        ?.message;
}
