import type { V1Job, V1Pod } from "@kubernetes/client-node";

import { type Admission, admissionOf, leadPodOf } from "../../provider/judge/admission";
import { cureOf } from "../../provider/observe/causes/pods";
import { isRefusedForGood } from "../../provider/observe/causes/lastingWords";
import { plainText } from "../../provider/observe/pods/plainText";
import { fail, type Finding, ok, unchecked, warn } from "./finding";
import { type Cluster, type Place, wantedRanks } from "./subject";

/** What the API server says of a Job as ours, and of its pod, in dry runs. */
export async function checkAdmission(place: Place): Promise<Finding[]> {
    const ofJob = await attempt(place, "Job", place.trial);
    if (!place.mayTryPod) {
        const why = "no right to create pods, so Pod Security, quotas and LimitRanges can't be tried";
        return [...ofJob, unchecked(`a pod: ${why}`, 'the right to create pods (docs/rbac.yaml, keygen "pod")')];
    }
    return [...ofJob, ...(await attempt(place, "pod", leadPodOf(place.trial)))];
}

async function attempt(place: Place, what: string, object: V1Job | V1Pod): Promise<Finding[]> {
    const answer = await admissionOf(place.kube, place.namespace, object);
    if (answer.class !== "admitted") {
        return [refused(place, what, answer)];
    }
    const texts = answer.warnings.map((text) => plainText(text));
    return texts.length > 0
        ? texts.map((text) => warn(`a ${what} would be created with a warning: ${text}`, cureOf(text, true)))
        : [ok(`a ${what} would be created (dry run)`)];
}

type Refusal = Exclude<Admission, { readonly class: "admitted" }>;

function refused({ cluster, namespace }: Place, what: string, answer: Refusal): Finding {
    const text = plainText(answer.text);
    if (answer.class === "unknown") {
        return unchecked(`a ${what}: ${text}`);
    }
    if (answer.class === "homeless") {
        return fail(
            `a ${what} would be refused: ${text}`,
            `kubectl create namespace ${namespace}, or give --namespace`,
        );
    }
    return /exceeded quota/.test(text) && isComplete(cluster)
        ? ok(`a further ${what} would exceed the quota, and the cluster has all its pods`)
        : fail(`a ${what} would be refused: ${text}`, cureOf(text, isRefusedForGood(text, cluster?.job)));
}

function isComplete(cluster: Cluster | undefined): boolean {
    return cluster !== undefined && cluster.seen.podCount >= wantedRanks(cluster.job);
}
