import { dryRun } from "../../provider/kubernetes/dryRun";
import { apiFailure, sentence } from "../../provider/kubernetes/failures/failure";
import { cureOf } from "../../provider/observe/causes/pods";
import { isRefusedForGood } from "../../provider/observe/causes/lastingWords";
import { plainText } from "../../provider/observe/pods/plainText";
import { fail, type Finding, ok, unchecked, warn } from "./finding";
import { type Cluster, type Place, wantedRanks } from "./subject";
import { trialPod } from "./trial";

/** What the API server says of a Job as ours, and of its pod, in dry runs. */
export async function checkAdmission(place: Place): Promise<Finding[]> {
    const ofJob = await attempt(place, "Job", place.trial);
    if (!place.mayTryPod) {
        const why = "no right to create pods, so Pod Security, quotas and LimitRanges can't be tried";
        return [...ofJob, unchecked(`a pod: ${why}`, 'the right to create pods (docs/rbac.yaml, keygen "pod")')];
    }
    return [...ofJob, ...(await attempt(place, "pod", trialPod(place.trial)))];
}

async function attempt(place: Place, what: string, object: Parameters<typeof dryRun>[2]): Promise<Finding[]> {
    try {
        const warnings = await dryRun(place.kube, place.namespace, object);
        const texts = warnings.map((text) => plainText(text));
        return texts.length > 0
            ? texts.map((text) => warn(`a ${what} would be created with a warning: ${text}`, cureOf(text, true)))
            : [ok(`a ${what} would be created (dry run)`)];
    } catch (error) {
        return [refused(place, what, error)];
    }
}

const NO_RIGHT = / cannot \w+ resource /;

function refused({ cluster, namespace }: Place, what: string, error: unknown): Finding {
    const text = plainText(sentence(error));
    const code = apiFailure(error)?.code;
    if (code === undefined || NO_RIGHT.test(text)) {
        return unchecked(`a ${what}: ${text}`);
    }
    if (code === 404) {
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
