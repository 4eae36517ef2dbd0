import type { V1Job } from "@kubernetes/client-node";

import { parseQuantity } from "../../contract/quantity";

/** Words of problems that pass by themselves although other words in the same text look like a lasting problem. */
const PASSES = [
    // A node's kubelet reads an object for the first time, or has lost the API server.
    /timed? ?out|deadline exceeded|connection refused|too many requests/i,
    // The server of a driver that still starts.
    /Unimplemented desc = unknown (?:service|method)/,
];

/**
 * Words of problems that last until a user changes the arguments, the image or a rule of the cluster, for pods that have or
 * haven't a node. Other words may be of a driver, a plugin, a server or a controller that still starts. Another program
 * may also create an object that doesn't exist yet, and a DaemonSet may install what a fresh node lacks: a runtime, a
 * file system, a folder.
 */
const LASTS = [
    // A claim whose data is lost, and a pod that mounts what its claim isn't.
    /bound to non-existent persistentvolume|has volumeMode \w+, but is specified in/,
    // Codes with which gRPC says that the same call fails in any state of the driver.
    /rpc error: code = (?:InvalidArgument|Unimplemented)\b/,
    // The image and the security context.
    /runAsNonRoot|runAsUser breaks non-root policy/,
    /executable file not found in \$PATH|exec format error|exec: "[^"]*": (?:permission denied|stat )/,
    /error during container init: .*(?:not a directory|read-only file system)/,
    /unable to find (?:user|group) \S+: no matching entries/,
    // Reasons of a kubelet that refuses the pod.
    /^(?:SysctlForbidden|AppArmor): /,
];

/** Words with which the API server refuses a pod for good: its own rules, or those of a webhook. */
const REFUSES = /is forbidden: |is invalid: |denied the request/;
/** Words with which it refuses a pod until an object exists, a webhook answers, or a quota is counted. */
const REFUSES_YET =
    /: (?:serviceaccount|RuntimeClass) "[^"]*" not found|no PriorityClass with name|failed calling webhook|status unknown for quota/;

/** True for words of a problem that only a user can solve. Unknown words count as a problem that may pass. */
export function isLasting(text: string): boolean {
    return !PASSES.some((words) => words.test(text)) && LASTS.some((words) => words.test(text));
}

/**
 * True if the API server will refuse the Job's pods again. A quota that all pods of the Job fit into is only full at
 * present.
 */
export function isRefusedForGood(text: string, job: V1Job | undefined): boolean {
    if (REFUSES_YET.test(text) || !REFUSES.test(text)) {
        return false;
    }
    const quota = /requested: (\S+), used: \S+, limited: (\S+)/.exec(text);
    return quota === null || !fits(amounts(quota[1]), amounts(quota[2]), job?.spec?.parallelism ?? 1);
}

function fits(requested: Map<string, number>, limited: Map<string, number>, pods: number): boolean {
    return [...requested].every(([resource, amount]) => amount * pods <= (limited.get(resource) ?? Infinity));
}

/** Reads `cpu=2,memory=1Gi`. */
function amounts(text: string): Map<string, number> {
    const pairs = text.split(",").map((pair) => pair.split("=") as [string, string?]);
    return new Map(pairs.map(([resource, amount = ""]) => [resource, parseQuantity(amount) ?? NaN]));
}
