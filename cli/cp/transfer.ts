import type { FarCopy } from "../../provider/copy/far";
import { both, receive, type Watcher } from "../../provider/copy/receive";
import type { Tally } from "../../provider/copy/unpack";
import { Permits, sendFrames } from "./frames";
import { LocalPlace } from "./localPlace";
import { Packing } from "./pack";
import { baseOf } from "./copyPlace";

/** A copy that is complete. */
export interface Copied extends Tally {
    /** Where it is. */
    readonly target: string;
    /** SHA-256 of the archive, which both sides have computed. */
    readonly sha256: string;
}

/** What to copy. */
export interface Copy {
    readonly far: FarCopy;
    readonly from: string;
    readonly to: string;
    readonly watch: Watcher;
    readonly signal: AbortSignal;
}

/** Copies a file or a folder of a pod to this machine. */
export async function copyOut({ far, from, signal, to, watch }: Copy): Promise<Copied> {
    const place = new LocalPlace(to, baseOf(from));
    try {
        const { sha256, unpacking, warnings } = await receive({
            far,
            call: ["give", from],
            content: place.content,
            watch,
            signal,
            judge: (kind) => place.requireKind(kind),
        });
        place.put();
        unpacking.finish(place.final, (path) => place.isKept(path));
        const { tally } = unpacking;
        return { ...tally, skipped: [...warnings, ...tally.skipped], target: place.final, sha256 };
    } finally {
        place.remove();
    }
}

/** Copies a file or a folder of this machine to a pod. */
export async function copyIn({ far, from, signal, to, watch }: Copy): Promise<Copied> {
    const packing = new Packing(from, watch.starts);
    const permits = new Permits();
    const kind = packing.isFolder ? "folder" : "file";
    const { facts, warnings } = await both(
        signal,
        (either) => far.call(["take", kind, baseOf(from), to], permits, either),
        (either) => sendFrames(packing.archive(), { stdin: far.stdin, permits, signal: either, moved: watch.moved }),
    );
    const { tally } = packing;
    return { ...tally, skipped: [...tally.skipped, ...warnings], target: facts.at ?? to, sha256: facts.sha256 ?? "" };
}
