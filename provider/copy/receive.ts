import { createHash } from "node:crypto";
import { PassThrough, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";

import type { FarCopy } from "./far";
import { type ArchiveEntry, entriesOf } from "./tarStream";
import { Unpacking } from "./unpack";

/** Tells how far a copy is. */
export interface Watcher {
    /** Bytes that the other side has taken. */
    moved(bytes: number): void;
    /** A file begins. */
    starts(name: string): void;
}

/** What to get from a pod. */
export interface Receiving {
    readonly far: FarCopy;
    /** The call of copy.sh that prints the archive. */
    readonly call: readonly string[];
    /** Path that the file or the folder gets on this machine. */
    readonly content: string;
    readonly watch: Watcher;
    readonly signal: AbortSignal;
    /** Is called with what the copy is after each entry, and may refuse it. */
    readonly judge?: (kind: Unpacking["kind"]) => void;
}

/** What has come from a pod. */
export interface Received {
    readonly unpacking: Unpacking;
    /** SHA-256 of the archive, which both sides have computed. */
    readonly sha256: string;
    readonly warnings: readonly string[];
}

/** Makes a file or a folder of a pod on this machine. If it fails, a part may be there. */
export async function receive({ call, content, far, judge, signal, watch }: Receiving): Promise<Received> {
    const unpacking = new Unpacking(content, watch.starts);
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
        (either) => far.call(call, archive, either),
        (either) =>
            Promise.all([pipeline(archive, measured, entries, { signal: either }), unpack(entries, unpacking, judge)]),
    );
    const sha256 = hash.digest("hex");
    if (facts.sha256 !== sha256) {
        throw new Error(`the archive has arrived with the checksum ${sha256}, and was sent with ${facts.sha256}`);
    }
    return { unpacking, sha256, warnings };
}

async function unpack(
    entries: AsyncIterable<ArchiveEntry>,
    unpacking: Unpacking,
    judge: Receiving["judge"],
): Promise<void> {
    for await (const entry of entries) {
        await unpacking.take(entry);
        judge?.(unpacking.kind);
    }
}

/**
 * The result of the call, when both parts are done. If one fails, the other ends too. The error is that of the pod if it
 * has one, because the other part then fails by it.
 */
export async function both<T>(
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
