import { initCause, podCause } from "./cause";
import { killedCause } from "./killed";
import type { Observation } from "./observation";
import type { Pod } from "./pod";

/**
 * A pod that can't start, and that Kubernetes would recreate without end. Either its scripts tell the error, or it is
 * the second pod of its rank in a row that ended before it was ready.
 */
export function crashed(seen: Observation): Pod | undefined {
    return seen
        .ranks()
        .find((pod) => pod.terminated?.marks.error !== undefined || (pod.terminated && seen.crashesOf(pod.rank) > 1));
}

export function describeCrash(pod: Pod): string {
    return (
        podCause(pod) ??
        killedCause(pod) ??
        initCause(pod) ??
        `${pod.name} ended with exit code ${pod.terminated?.exitCode} before it was ready, and so did the pod before it.`
    );
}
