import type { V1Job } from "@kubernetes/client-node";

import type { ClusterAccess } from "../../kubernetes/kubeconfig/clusterAccess";
import { connect, type Patience } from "../../kubernetes/client";
import { type Admission, admissionOf, leadPodOf } from "../admission";
import { isExtended } from "./amounts";
import { claimsOf } from "./claims";
import { requestsOf, withApiDefaults } from "./requests";
import { DEADLINE, type Survey, survey } from "./survey";
import { isPlacedByDefault } from "./uncounted";
import type { Wish } from "./wish";

export { type Verdict, verdictOf } from "./verdict";
export type { Survey } from "./survey";
export type { Wish } from "./wish";

/** A request that isn't answered in time isn't repeated: the whole survey has no longer. */
const ONCE: Patience = { seconds: DEADLINE / 1000, tries: 1 };

/** Reads what decides whether pods of this template fit into a cluster. Never fails. */
export function surveyFor(
    access: ClusterAccess,
    { namespace, queue, template }: Pick<Wish, "namespace" | "queue" | "template">,
): Promise<Survey> {
    const spec = template.spec ?? { containers: [] };
    return survey(connect(access, ONCE), {
        namespace,
        queue,
        nodes: isPlacedByDefault(spec),
        claims: claimsOf(spec).length > 0,
        devices: Object.keys(requestsOf(withApiDefaults(spec))).some(isExtended),
    });
}

const NO_ACCOUNT = /serviceaccount "[^"]*" not found/;

/**
 * What the API server says of the first pod of a Job. Never fails. A service account that the update makes hides all other reasons,
 * so without one the pod is tried once more.
 */
export async function admissionFor(access: ClusterAccess, job: V1Job): Promise<Admission> {
    const kube = connect(access, ONCE);
    const [pod, namespace] = [leadPodOf(job), job.metadata?.namespace ?? ""];
    const answer = await admissionOf(kube, namespace, pod);
    if (answer.class !== "refused" || !NO_ACCOUNT.test(answer.text) || pod.spec === undefined) {
        return answer;
    }
    const { serviceAccountName: _account, ...spec } = pod.spec;
    const other = await admissionOf(kube, namespace, { ...pod, spec });
    // What depends on the account is known only with it.
    const isOfPod = other.class !== "refused" || /violates PodSecurity|is invalid:/.test(other.text);
    return isOfPod ? other : { class: "unknown", text: other.text };
}
