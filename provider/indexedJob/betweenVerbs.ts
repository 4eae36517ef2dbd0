import { accessKey, type ClusterAccess } from "../kube/clusterAccess";
import { isUnknown } from "../unknown";
import type { IndexedJobInputs } from "./properties";

/*
 * Facts that a verb leaves to a later verb of the same operation. Both run in one process; the engine only passes on
 * inputs and outputs.
 */

type Marked = Partial<Pick<IndexedJobInputs, "nonce" | "resourceUrn">>;

/** The inputs of `check`, by the marks of their Job. */
export const wantedJobs = new Map<string, IndexedJobInputs>();

/** Marks of the Jobs that the engine may delete because it replaces another resource. */
export const comparedJobs = new Set<string>();

/** Remembers the inputs that a program wants for the Job. A Job has the URN and the nonce of before a rename, too. */
export function rememberWanted(olds: Marked, news: IndexedJobInputs): void {
    [...marksOf(olds), ...marksOf(news)].forEach((mark) => wantedJobs.set(mark, news));
}

/** The inputs of `check` for this Job in this process; undefined if there was none, as in `pulumi destroy`. */
export function wantedNow(olds: Marked): IndexedJobInputs | undefined {
    return marksOf(olds)
        .map((mark) => wantedJobs.get(mark))
        .find((wanted) => wanted !== undefined);
}

/**
 * Remembers that the engine has asked for the diff of a Job because it replaces another resource: some inputs are then
 * unknown. A refresh asks with known ones.
 */
export function rememberCompared(olds: Marked, news: IndexedJobInputs): void {
    if (isUnknown(news)) {
        marksOf(olds).forEach((mark) => comparedJobs.add(mark));
    }
}

/** True if the engine has asked for that diff of this Job in this process. */
export function wasCompared(olds: Marked): boolean {
    return marksOf(olds).some((mark) => comparedJobs.has(mark));
}

/** What tells one Job from all others of this process. The nonce belongs to one MiniCluster of one stack. */
function marksOf({ nonce, resourceUrn }: Marked): string[] {
    return [resourceUrn, nonce].filter((mark) => mark !== undefined && !isUnknown(mark)) as string[];
}

/** URNs whose Job is in the state. The second `check` of a replacement has no `olds`. */
export const jobsInState = new Set<string>();

export function rememberInState(urn: string): void {
    if (urn !== "") {
        jobsInState.add(urn);
    }
}

/** URNs of the Jobs of which a `check` has said that the update replaces them. The second `check` then says nothing more. */
export const toldReplacements = new Set<string>();

/** Accesses whose API server did not answer the last `check`. */
export const silentServers = new Set<string>();

export function placeOf({ manifest }: Pick<IndexedJobInputs, "manifest">): string {
    return `${manifest.metadata.namespace}/${manifest.metadata.name}`;
}

/** Remembers whether the API server has answered `check`. */
export function setSilent(access: ClusterAccess, silent: boolean): void {
    if (silent) {
        silentServers.add(accessKey(access));
    } else {
        silentServers.delete(accessKey(access));
    }
}

/** True if the API server did not answer the last `check`: `diff` then doesn't wait for it again. */
export function isSilent(access: ClusterAccess): boolean {
    return silentServers.has(accessKey(access));
}
