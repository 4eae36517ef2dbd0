import { keptByCopy } from "../contract/operation";
import type { Told } from "../guard/guard";
import { accessKey, type ClusterAccess } from "../kubernetes/kubeconfig/clusterAccess";
import { isUnknown } from "../host/unknown";
import type { IndexedJobInputs } from "./properties";

/** What a verb leaves to a later verb of the same operation. The engine only passes on inputs and outputs. */
const memory = keptByCopy(() => ({
    /** The inputs of `check`, by the marks of their Job. */
    wanted: new Map<string, IndexedJobInputs>(),
    /** Marks of the Jobs that the engine may delete because it replaces another resource. */
    compared: new Set<string>(),
    /** URNs whose Job is in the state. */
    inState: new Set<string>(),
    /** URNs of the Jobs of which a `check` has said that the update replaces them. */
    told: new Set<string>(),
    /** Accesses whose API server did not answer the last `check`. */
    silent: new Set<string>(),
}));

type Marked = Partial<Pick<IndexedJobInputs, "nonce" | "resourceUrn">>;

/** Remembers the inputs that a program wants for the Job. A Job has the URN and the nonce of before a rename, too. */
export function rememberWanted(olds: Marked, news: IndexedJobInputs): void {
    [...marksOf(olds), ...marksOf(news)].forEach((mark) => memory().wanted.set(mark, news));
}

/** The inputs of `check` for this Job in this operation; undefined if there was none, as in `pulumi destroy`. */
export function wantedNow(olds: Marked): IndexedJobInputs | undefined {
    return marksOf(olds)
        .map((mark) => memory().wanted.get(mark))
        .find((wanted) => wanted !== undefined);
}

/**
 * Remembers that the engine has asked for the diff of a Job because it replaces another resource: some inputs are then
 * unknown. A refresh asks with known ones.
 */
export function rememberCompared(olds: Marked, news: IndexedJobInputs): void {
    if (isUnknown(news)) {
        marksOf(olds).forEach((mark) => memory().compared.add(mark));
    }
}

/** True if the engine has asked for that diff of this Job in this operation. */
export function wasCompared(olds: Marked): boolean {
    return marksOf(olds).some((mark) => memory().compared.has(mark));
}

/** What the verbs have been told of a Job that is deleted. */
export function toldOf(olds: Marked & Pick<IndexedJobInputs, "interrupt">): Told {
    const wanted = wantedNow(olds);
    const { interrupt } = wanted ?? olds;
    return { interrupt, isChecked: wanted !== undefined, isCompared: wasCompared(olds) };
}

/** What tells one Job from all others of this operation. The nonce belongs to one MiniCluster of one stack. */
function marksOf({ nonce, resourceUrn }: Marked): string[] {
    return [resourceUrn, nonce].filter((mark) => mark !== undefined && !isUnknown(mark)) as string[];
}

export function rememberInState({ resourceUrn = "" }: Marked): void {
    memory().inState.add(resourceUrn);
}

/** True if the Job of this resource is in the state. The second `check` of a replacement has no `olds`. */
export function isInState({ resourceUrn = "" }: Marked): boolean {
    return resourceUrn !== "" && memory().inState.has(resourceUrn);
}

export function rememberTold({ resourceUrn = "" }: Marked): void {
    memory().told.add(resourceUrn);
}

/** True if a `check` has said that the update replaces the Job. The second `check` then says nothing more. */
export function wasTold({ resourceUrn = "" }: Marked): boolean {
    return resourceUrn !== "" && memory().told.has(resourceUrn);
}

export function placeOf({ manifest }: Pick<IndexedJobInputs, "manifest">): string {
    return `${manifest.metadata.namespace}/${manifest.metadata.name}`;
}

/** Remembers whether the API server has answered `check`. */
export function setSilent(access: ClusterAccess, silent: boolean): void {
    if (silent) {
        memory().silent.add(accessKey(access));
    } else {
        memory().silent.delete(accessKey(access));
    }
}

/** True if the API server did not answer the last `check`: `diff` then doesn't wait for it again. */
export function isSilent(access: ClusterAccess): boolean {
    return memory().silent.has(accessKey(access));
}
