import type { Code } from "../contract/code/code";
import { ANNOTATIONS } from "../contract/labels";
import type { KubernetesObject } from "../contract/object";
import type { LeadService } from "../contract/lead";
import { hasNonce } from "../kubernetes/ownership";
import { type CodeOwner, packedParts, partsOf } from "./parts";

/** The code of a cluster, and what its parts have in common. */
export interface PartsOwner extends CodeOwner {
    readonly lead: LeadService;
    readonly nonce: string;
}

/** How parts are found and created. */
export interface PartCalls {
    find(part: KubernetesObject): Promise<KubernetesObject | undefined>;
    make(part: KubernetesObject): Promise<void>;
}

/**
 * Creates the parts unless all exist. The folder is packed again for that, which fails before anything is created if the
 * folder is not the planned one any more.
 */
export async function makeParts(owner: PartsOwner, { find, make }: PartCalls): Promise<void> {
    const { code } = owner;
    if (code === undefined) {
        return;
    }
    const marks = (await inFours(partsOf(owner), find)).map((live) => archiveMark(owner, live));
    if (marks.includes(undefined) || new Set(marks).size > 1) {
        await inFours(await packedParts({ ...owner, code }), make);
    }
}

/** The code of a state with the names of the parts that the cluster doesn't have. */
export async function liveCode(owner: PartsOwner, find: PartCalls["find"]): Promise<Code | undefined> {
    const { code } = owner;
    const lost = await inFours(partsOf(owner), async (part) =>
        archiveMark(owner, await find(part)) === undefined ? [part.metadata.name as string] : [],
    );
    const names = lost.flat();
    if (code === undefined || names.length > 0) {
        return code && { ...code, missing: names };
    }
    const { missing: _, ...whole } = code;
    return whole;
}

/** The mark of the packing from which a part of this cluster comes; undefined if a pod can't rely on the part. */
function archiveMark({ lead, nonce }: PartsOwner, live: KubernetesObject | undefined): string | undefined {
    const { annotations, deletionTimestamp, ownerReferences = [] } = live?.metadata ?? {};
    const isOwned = ownerReferences.some(({ uid }: { uid: string }) => uid === lead.uid);
    const isKept = live !== undefined && hasNonce(live, nonce) && isOwned && deletionTimestamp === undefined;
    return isKept ? annotations[ANNOTATIONS.specHash] : undefined;
}

/** Calls a function for each item, four at a time. */
async function inFours<Item, Result>(
    items: readonly Item[],
    call: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
    const results: Result[] = [];
    for (let first = 0; first < items.length; first += 4) {
        results.push(...(await Promise.all(items.slice(first, first + 4).map(call))));
    }
    return results;
}
