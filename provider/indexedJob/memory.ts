import type { ClusterAccess } from "../kube/clusterAccess";
import type { IndexedJobInputs } from "./resource";

/*
 * What a verb tells a later one of the same update: they run in one process, and only inputs and outputs go through the
 * engine.
 */

/**
 * Jobs that this process must not delete, by their UIDs, and why not. `delete` gets nothing that tells a replacement
 * from `pulumi destroy`; but only before a replacement does `check` of the same update see the Job.
 */
export const heldJobs = new Map<string, string>();

/**
 * What `check` was asked for in this process, by the Job's namespace and name: only an update checks, `pulumi destroy`
 * doesn't.
 */
export const wantedJobs = new Map<string, IndexedJobInputs>();

/** What this update makes in place of a Job, by the same way to the API server; undefined where it makes nothing there. */
export function wantedNow(olds: IndexedJobInputs): IndexedJobInputs | undefined {
    const wanted = wantedJobs.get(placeOf(olds));
    return wanted?.kubeconfig === olds.kubeconfig && wanted?.context === olds.context ? wanted : undefined;
}

/** Ways to API servers that did not answer the last `check`. */
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

/** True where the API server did not answer the last `check`: `diff` then doesn't wait for it again. */
export function isSilent(access: ClusterAccess): boolean {
    return silentServers.has(keyOf(access));
}

function keyOf({ context, kubeconfig }: ClusterAccess): string {
    return JSON.stringify([kubeconfig, context]);
}
