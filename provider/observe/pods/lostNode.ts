import { NONE } from "./limit";
import type { Observation } from "./observation";
import type { Pod } from "./pod";
import { isTold, type Trouble } from "./trouble";

/** Seconds after the grace period of a pod in which a kubelet that is well reports the pod's end. */
const REPORT = 30;

/** The problem of a pod whose end its node doesn't report, so that Kubernetes waits with the next pod of its rank. */
export function nodeTroubles(pod: Pod, limit = NONE): Trouble[] {
    const row = describeNode(pod);
    const { endsBy, silentSince: since = endsBy } = pod;
    if (row === undefined || since === undefined) {
        return [];
    }
    const quiet = pod.silentSince === undefined ? REPORT : undefined;
    return [{ ...limit, pod, message: `${pod.name} ${row}`, row, since, quiet }];
}

/** Of pods that have started: what keeps Kubernetes from replacing them now. */
export function keptByNodes(seen: Observation, now: number): Trouble[] {
    const started = seen.ranks().filter(({ startedAt }) => startedAt !== undefined);
    return started.flatMap((pod) => nodeTroubles(pod)).filter((trouble) => isTold(trouble, now));
}

/** The words for a pod whose node doesn't answer, or that is being deleted, after the pod's name. */
export function describeNode({ endsBy, node, silentSince: since, terminated }: Pod): string | undefined {
    if (node === undefined || terminated !== undefined || (since ?? endsBy) === undefined) {
        return undefined;
    }
    const what =
        since === undefined
            ? `was deleted, and node ${node} has not reported its end, which was due at ${timeOf(endsBy)}`
            : `is lost: node ${node} has not been ready since ${timeOf(since)}`;
    const taint = "node.kubernetes.io/out-of-service=nodeshutdown:NoExecute";
    return `${what}; if that machine is off, kubectl taint node ${node} ${taint}`;
}

function timeOf(milliseconds = 0): string {
    return new Date(milliseconds).toISOString().replace(/\.\d+/, "");
}
