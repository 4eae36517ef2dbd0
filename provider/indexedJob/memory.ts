import type { ClusterAccess } from "../kube/clusterAccess";
import type { IndexedJobInputs } from "./properties";

/*
 * Facts that a verb leaves to a later verb of the same update. Both run in one process; the engine only passes on
 * inputs and outputs.
 */

/**
 * Jobs that this process must not delete, by UID, with the reason. The inputs of `delete` don't tell a replacement from
 * `pulumi destroy`, but only before a replacement does `check` of the same update see the Job.
 */
export const heldJobs = new Map<string, string>();

/**
 * The inputs of `check` in this process, by the Job's namespace and name. `pulumi destroy` has none, because it calls
 * no `check`.
 */
export const wantedJobs = new Map<string, IndexedJobInputs>();

/**
 * The inputs of the Job that this update creates in place of an old one, with the same access; undefined if there is
 * none.
 */
export function wantedNow(olds: IndexedJobInputs): IndexedJobInputs | undefined {
    const wanted = wantedJobs.get(placeOf(olds));
    return wanted?.kubeconfig === olds.kubeconfig && wanted?.context === olds.context ? wanted : undefined;
}

/** Accesses whose API server did not answer the last `check`. */
const silentServers = new Set<string>();

export function placeOf({ manifest }: Pick<IndexedJobInputs, "manifest">): string {
    return `${manifest.metadata.namespace}/${manifest.metadata.name}`;
}

/** Remembers whether the API server has answered `check`. */
export function setSilent(access: ClusterAccess, silent: boolean): void {
    if (silent) {
        silentServers.add(keyOf(access));
    } else {
        silentServers.delete(keyOf(access));
    }
}

/** True if the API server did not answer the last `check`: `diff` then doesn't wait for it again. */
export function isSilent(access: ClusterAccess): boolean {
    return silentServers.has(keyOf(access));
}

function keyOf({ context, kubeconfig }: ClusterAccess): string {
    return JSON.stringify([kubeconfig, context]);
}
