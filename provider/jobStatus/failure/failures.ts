import type { RecordedFailure } from "../../contract/record/runRecord";
import { initCause, podCause } from "../../observe/pods/cause";
import { killedCause } from "../../observe/pods/killed";
import type { Loss } from "../../observe/pods/losses";
import { plainText } from "../../observe/pods/plainText";
import type { Pod } from "../../observe/pods/pod";
import { causeOf } from ".";

/** Why a Job and its pods have failed. `kubernetes` is the Job's end in Kubernetes' words; undefined if it has not failed. */
export function failuresOf(
    kubernetes: string | undefined,
    pods: readonly Pod[],
    losses: readonly Loss[] = [],
    ranks = pods,
): RecordedFailure[] {
    const ofCluster =
        kubernetes === undefined ? [] : [{ about: "Cluster", message: causeOf(kubernetes, ranks, losses) }];
    const ofPods = pods.flatMap((pod) => {
        const message = podCause(pod) ?? killedCause(pod) ?? initCause(pod);
        return message === undefined ? [] : [{ about: pod.name, message: plainText(message) }];
    });
    const said = new Set(ofCluster.map(({ message }) => message));
    return [...ofCluster, ...ofPods.filter(({ message }) => !said.has(message))];
}
