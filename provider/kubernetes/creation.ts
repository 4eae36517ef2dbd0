import type { KubernetesObject } from "@kubernetes/client-node";

import { claim, refusalOfForeign } from "./ownership";

/** How an object is created and found. */
interface Calls<Live> {
    create(): Promise<Live>;
    find(): Promise<Live | undefined>;
    /** True for a live object that is the wanted one. By default its marks decide; see `claim`. */
    isWanted?(live: Live): boolean;
}

/** Creates an object. If the API server's answer gets lost, the live object tells whether it was created. */
export async function createOnce<Live extends KubernetesObject>(wanted: Live, calls: Calls<Live>): Promise<Live> {
    const isWanted = calls.isWanted ?? ((live) => claim(live, wanted) === "same");
    try {
        return await calls.create();
    } catch (error) {
        const live = await calls.find().catch(() => undefined);
        if (live !== undefined && isWanted(live)) {
            return live;
        }
        throw error;
    }
}

/** Refuses a live object of another owner. Otherwise tells whether it is the wanted one or one of an earlier spec. */
export function requireOurs(live: KubernetesObject, wanted: KubernetesObject): "same" | "stale" {
    const found = claim(live, wanted);
    if (found === "foreign") {
        const { kind, metadata } = wanted;
        throw new Error(refusalOfForeign(`${kind} ${metadata?.namespace}/${metadata?.name}`, live));
    }
    return found;
}
