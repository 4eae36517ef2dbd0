import type { Pod } from "../../observe/pods/pod";

/** Words of a broker, and of the exception of a job, for a rank that Flux has lost. */
const LOST = /(?:\bnode failure on|\bdead to Flux:) \S+ \(rank (\d+)\)/;

/**
 * A sentence after the cause of a failure, if Flux has lost a rank: with the rank's node, which Kubernetes may believe to be
 * well for 50 s more.
 */
export function lossHint(log = "", ranks: readonly Pod[]): string {
    const rank = LOST.exec(log)?.[1];
    const pod = ranks.find((each) => String(each.rank) === rank);
    return pod?.node === undefined
        ? ""
        : ` Flux lost rank ${rank}: ${pod.name} on node ${pod.node}. See kubectl describe node ${pod.node}.`;
}
