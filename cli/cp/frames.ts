import { createHash } from "node:crypto";
import { type PassThrough, Writable } from "node:stream";

import { MESSAGE } from "../../provider/kubernetes/streams/exec";

/** Bytes of a frame. The pod permits 16 at a time, so this bounds what waits in memory for a slow connection. */
const FRAME = 1024 * 1024;

/** The permits that the pod gives on its standard output: each byte is one frame. */
export class Permits extends Writable {
    private count = 0;
    private wake: () => void = () => {};

    override _write(chunk: Buffer, _encoding: string, done: () => void): void {
        this.count += chunk.length;
        this.wake();
        done();
    }

    async take(signal: AbortSignal): Promise<void> {
        while (this.count === 0) {
            signal.throwIfAborted();
            await new Promise<void>((resolve) => {
                this.wake = resolve;
                signal.addEventListener("abort", () => resolve(), { once: true });
            });
        }
        signal.throwIfAborted();
        this.count--;
    }
}

/** How frames are sent. */
interface Sending {
    readonly stdin: PassThrough;
    readonly permits: Permits;
    readonly signal: AbortSignal;
    /** Is told the bytes of each frame. */
    moved(bytes: number): void;
}

/**
 * Sends an archive in frames, each when the pod has taken an earlier one, and its checksum. The frames say the pod where
 * the archive ends: the end of standard input doesn't reach it through older proxies.
 */
export async function sendFrames(
    archive: AsyncIterable<Buffer>,
    { moved, permits, signal, stdin }: Sending,
): Promise<void> {
    const hash = createHash("sha256");
    for await (const frame of framesOf(archive)) {
        hash.update(frame);
        await permits.take(signal);
        stdin.write(`${frame.length}\n`);
        for (let from = 0; from < frame.length; from += MESSAGE) {
            stdin.write(frame.subarray(from, from + MESSAGE));
        }
        moved(frame.length);
    }
    stdin.write(`0\n${hash.digest("hex")}\n`);
}

async function* framesOf(archive: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    let [chunks, size]: [Buffer[], number] = [[], 0];
    for await (const chunk of archive) {
        chunks.push(chunk);
        size += chunk.length;
        if (size >= FRAME) {
            yield Buffer.concat(chunks);
            [chunks, size] = [[], 0];
        }
    }
    if (size > 0) {
        yield Buffer.concat(chunks);
    }
}
