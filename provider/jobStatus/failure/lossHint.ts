import type { Loss } from "../../observe/pods/losses";
import type { Pod } from "../../observe/pods/pod";

/** Words of a broker, and of the exception of a job, for a rank that Flux has lost. */
const LOST = /(?:\bnode failure on|\bdead to Flux:) \S+ \(rank (\d+)\)/;

/**
 * A sentence after the cause of a failure, if Flux has lost a rank: with the node of the lost pod, which Kubernetes may
 * believe to be well for 50 s more. The newest pod of the rank may be a successor.
 */
export function lossHint(log = "", ranks: readonly Pod[], losses: readonly Loss[]): string {
    const rank = LOST.exec(log)?.[1];
    const newest = ranks.find((each) => String(each.rank) === rank);
    const removed = losses.find(({ pod }) => String(pod.rank) === rank)?.pod;
    const pod = newest?.silentSince === undefined ? (removed ?? newest) : newest;
    return pod?.node === undefined
        ? ""
        : ` Flux lost rank ${rank}: ${pod.name} on node ${pod.node}. See kubectl describe node ${pod.node}.`;
}
