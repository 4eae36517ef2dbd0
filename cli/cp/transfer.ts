import { createHash } from "node:crypto";
import { PassThrough, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";

import type { FarCopy } from "./far";
import { Permits, sendFrames } from "./frames";
import { LocalPlace } from "./localPlace";
import { Packing } from "./pack";
import { baseOf } from "./copyPlace";
import { type ArchiveEntry, entriesOf } from "./tarStream";
import { type Tally, Unpacking } from "./unpack";

/** Tells how far a copy is. */
export interface Watcher {
    /** Bytes that the other side has taken. */
    moved(bytes: number): void;
    /** A file begins. */
    starts(name: string): void;
}

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
        const unpacking = new Unpacking(place.content, watch.starts);
        const archive = new PassThrough();
        const entries = entriesOf();
        const hash = createHash("sha256");
        const measured = new Transform({
            transform(chunk: Buffer, _encoding, done) {
                hash.update(chunk);
                watch.moved(chunk.length);
                far.take(chunk.length);
                done(null, chunk);
            },
        });
        const { facts, warnings } = await both(
            signal,
            (either) => far.call(["give", from], archive, either),
            (either) =>
                Promise.all([
                    pipeline(archive, measured, entries, { signal: either }),
                    unpack(entries, unpacking, place),
                ]),
        );
        const sha256 = hash.digest("hex");
        if (facts.sha256 !== sha256) {
            throw new Error(`the archive has arrived with the checksum ${sha256}, and was sent with ${facts.sha256}`);
        }
        place.put();
        unpacking.finish(place.final, (path) => place.isKept(path));
        const { tally } = unpacking;
        return { ...tally, skipped: [...warnings, ...tally.skipped], target: place.final, sha256 };
    } finally {
        place.remove();
    }
}

async function unpack(entries: AsyncIterable<ArchiveEntry>, unpacking: Unpacking, place: LocalPlace): Promise<void> {
    for await (const entry of entries) {
        await unpacking.take(entry);
        place.requireKind(unpacking.kind);
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

/**
 * The result of the call, when both parts are done. If one fails, the other ends too. The error is that of the pod if it
 * has one, because the other part then fails by it.
 */
async function both<T>(
    signal: AbortSignal,
    call: (signal: AbortSignal) => Promise<T>,
    work: (signal: AbortSignal) => Promise<unknown>,
): Promise<T> {
    const stop = new AbortController();
    const either = AbortSignal.any([signal, stop.signal]);
    const stopped = new Error("the other part of the copy has failed");
    const guarded = <R>(part: Promise<R>) =>
        part.catch((error: unknown) => {
            stop.abort(stopped);
            throw error;
        });
    const [called, worked] = await Promise.allSettled([guarded(call(either)), guarded(work(either))]);
    const errors = [called, worked].flatMap((part) => (part.status === "rejected" ? [part.reason as Error] : []));
    const first = errors.find((error) => error !== stopped && error.cause !== stopped) ?? errors.at(0);
    if (first !== undefined) {
        throw signal.aborted ? signal.reason : first;
    }
    return (called as PromiseFulfilledResult<T>).value;
}
