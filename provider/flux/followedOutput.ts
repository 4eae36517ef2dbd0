import { PassThrough, Writable } from "node:stream";

import type { Kube } from "../kube/client";
import { attachFor, type Container } from "../kube/exec";
import { lost } from "../kube/socket";
import { complaint, KILLED, NO_BROKER } from "./calls";
import { UNKNOWN_JOB } from "./queue";
import { scriptWith } from "./script";

/** Takes the output of a job. Nothing more is read until it has taken what it was given. */
export interface OutputReader {
    show(stream: "stdout" | "stderr", bytes: Buffer): Promise<void>;
    /** Takes the present end of the output, or the progress that the program has told. */
    tell?(what: "end" | "progress", bytes: Buffer): void;
}

/** Seconds of a connection. printoutput.py returns a minute before, so a longer one has no broker that answers. */
const PATIENCE = 180;

/** Frames that aren't a part of the output. */
const OTHERS = ["end", "progress"];

/** A connection that follows a job. */
export interface Following {
    /** The call of job.sh. */
    readonly words: readonly string[];
    readonly signal: AbortSignal;
    /** Is called when the connection is established. */
    readonly connected?: () => void;
}

/**
 * Follows a job with one connection, at most two minutes; returns its events. Undefined if Flux doesn't know it. Fails if
 * the connection is lost.
 */
export async function followOutput(
    kube: Kube,
    lead: Container,
    output: FollowedOutput,
    { connected, signal, words }: Following,
): Promise<string | undefined> {
    const [stdin, stderr] = [new PassThrough(), new Kept()];
    stdin.write(scriptWith(words));
    const streams = { stdin, stdout: output.again(), stderr };
    const exitCode = await attachFor(PATIENCE, kube, lead, { command: ["bash", "-s"], connected, signal, ...streams });
    if (exitCode === UNKNOWN_JOB) {
        return undefined;
    }
    if (exitCode === NO_BROKER) {
        throw Object.assign(new Error(complaint(stderr.text)), { code: "ECONNREFUSED" });
    }
    if (KILLED.includes(exitCode)) {
        throw lost("the command in the lead was killed");
    }
    if (exitCode !== 0 || output.events === undefined) {
        throw new Error(complaint(stderr.text) || `the command in the lead ended with ${exitCode}`);
    }
    return output.events;
}

/**
 * Reads what job.sh prints while it follows a job: frames, each with a line of the stream and the number of bytes, and at
 * last the job's events. A frame that a lost connection has cut is read again with the next one.
 */
export class FollowedOutput {
    /** The job's events at the end of a call. */
    events: string | undefined;
    private readonly shown = { stdout: 0, stderr: 0, exception: 0 };

    constructor(private readonly output: OutputReader) {}

    /** What has been shown, for the next call: bytes of both streams, and messages of Flux on exceptions. */
    get position(): string[] {
        const { exception, stderr, stdout } = this.shown;
        return [stdout, stderr, exception].map(String);
    }

    /** Takes what the next call prints. */
    again(): Writable {
        let rest = Buffer.alloc(0);
        this.events = undefined;
        return new Writable({
            write: (chunk: Buffer, _encoding, done) => {
                rest = Buffer.concat([rest, chunk]);
                this.take(rest).then((left) => {
                    rest = left;
                    done();
                }, done);
            },
        });
    }

    /** Shows all whole frames; returns the rest. */
    private async take(bytes: Buffer): Promise<Buffer<ArrayBuffer>> {
        let left = bytes;
        for (;;) {
            const line = left.indexOf("\n");
            if (line < 0) {
                return Buffer.from(left);
            }
            const [stream, size] = left.subarray(0, line).toString().split(" ");
            if (stream === "events") {
                this.events = left.subarray(line + 1).toString();
                return Buffer.from(left);
            }
            if (!(Object.hasOwn(this.shown, stream) || OTHERS.includes(stream)) || !/^\d+$/.test(size)) {
                throw new Error("the command in the lead printed something else than a job's output");
            }
            const end = line + 1 + Number(size);
            if (left.length < end) {
                return Buffer.from(left);
            }
            await this.show(stream as keyof typeof this.shown | "end" | "progress", left.subarray(line + 1, end));
            left = left.subarray(end);
        }
    }

    private async show(stream: keyof typeof this.shown | "end" | "progress", bytes: Buffer): Promise<void> {
        if (stream === "end" || stream === "progress") {
            this.output.tell?.(stream, bytes);
            return;
        }
        await this.output.show(stream === "stdout" ? "stdout" : "stderr", bytes);
        this.shown[stream] += stream === "exception" ? 1 : bytes.length;
    }
}

/** Keeps the end of what a command prints. */
class Kept extends Writable {
    text = "";

    override _write(chunk: Buffer, _encoding: string, done: () => void): void {
        this.text = (this.text + chunk.toString()).slice(-4096);
        done();
    }
}
