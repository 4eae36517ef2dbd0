import type { V1Job, V1Pod } from "@kubernetes/client-node";

import { INDEX_LABEL, JOB_NAME_LABEL } from "../contract/labels";
import type { Kube } from "../kubernetes/client";
import { dryRun } from "../kubernetes/dryRun";
import { apiFailure, isNotFound, sentence } from "../kubernetes/failures/failure";

/**
 * What the API server says of an object in a dry run. `homeless`: its namespace doesn't exist. `unknown`: there is no answer, or no
 * right to ask, or a webhook takes no part in dry runs.
 */
export type Admission =
    | { readonly class: "admitted"; readonly warnings: readonly string[] }
    | { readonly class: "homeless" | "refused" | "unknown"; readonly text: string };

/** Asks the API server whether it would create a Job or a pod. Never fails. */
export async function admissionOf(kube: Kube, namespace: string, object: V1Job | V1Pod): Promise<Admission> {
    try {
        return { class: "admitted", warnings: await dryRun(kube, namespace, object) };
    } catch (error) {
        return { class: classOf(error), text: sentence(error) };
    }
}

const UNANSWERED = / cannot \w+ resource |does not support dry run/;

function classOf(error: unknown): "homeless" | "refused" | "unknown" {
    const { code, message } = apiFailure(error) ?? { message: "" };
    if (code === undefined || UNANSWERED.test(message)) {
        return "unknown";
    }
    if (code === 404) {
        return isNotFound(error) ? "homeless" : "unknown";
    }
    return "refused";
}

const NO_UID = "00000000-0000-4000-8000-000000000000";

/**
 * The pod of rank 0, as the Job controller would create it. Pod Security, quotas and LimitRanges judge pods, and warn of Jobs
 * at best.
 */
export function leadPodOf({ metadata = {}, spec }: V1Job): V1Pod {
    const { name, namespace } = metadata;
    const { metadata: marks, spec: pod } = spec?.template ?? {};
    // A policy may let only controllers make pods. A dry run keeps nothing of the owner.
    const owner = {
        apiVersion: "batch/v1",
        kind: "Job",
        name: name ?? "",
        uid: metadata.uid ?? NO_UID,
        controller: true,
    };
    const labels = { ...marks?.labels, [INDEX_LABEL]: "0", [JOB_NAME_LABEL]: name ?? "" };
    return {
        apiVersion: "v1",
        kind: "Pod",
        metadata: { ...marks, generateName: `${name}-0-`, namespace, labels, ownerReferences: [owner] },
        spec: pod,
    };
}
