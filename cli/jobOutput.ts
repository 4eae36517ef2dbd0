import { Writable } from "node:stream";

import type { Arguments } from "./arguments";
import { written } from "./terminal";

/** Longest output in bytes that `--json` prints: its last part, because the reason of a failure is at the end. */
const MOST = 64 * 2 ** 20;

/** Takes the output of a job. Nothing more is read until it has taken what it was given. */
export interface JobOutput {
    show(stream: "stdout" | "stderr", bytes: Buffer): Promise<void>;
    /** Nothing more comes. A job that has not ended has no exit code. */
    end(jobId: string, exitCode: number | undefined): Promise<void>;
}

/** Prints the output of a job as it comes. */
const printed: JobOutput = {
    show: (stream, bytes) => written(process[stream], bytes),
    end: async () => undefined,
};

/** Keeps the output of a job, and prints it as JSON after the job's end. */
export class Collected implements JobOutput {
    private readonly chunks: Buffer[] = [];
    private length = 0;
    private omitted = 0;

    constructor(
        private readonly print: (text: string) => Promise<void> = (text) => written(process.stdout, text),
        private readonly most = MOST,
    ) {}

    async show(_stream: string, bytes: Buffer): Promise<void> {
        this.chunks.push(bytes);
        this.length += bytes.length;
        while (this.length > this.most) {
            this.drop(this.length - this.most);
        }
    }

    async end(jobId: string, exitCode: number | undefined): Promise<void> {
        const output = Buffer.concat(this.chunks).toString();
        const omittedBytes = this.omitted === 0 ? undefined : this.omitted;
        await this.print(`${JSON.stringify({ jobId, exitCode: exitCode ?? null, output, omittedBytes })}\n`);
    }

    /** Drops at most so many bytes of the first chunk. */
    private drop(bytes: number): void {
        const [first] = this.chunks;
        const dropped = Math.min(bytes, first.length);
        this.length -= dropped;
        this.omitted += dropped;
        if (dropped === first.length) {
            this.chunks.shift();
        } else {
            this.chunks[0] = first.subarray(dropped);
        }
    }
}

/** Takes the output of a job as the options of a command ask for it. */
export function outputFor({ json }: Arguments["options"]): JobOutput {
    return json === true ? new Collected() : printed;
}

/**
 * Reads what job.sh prints while it follows a job: frames, each with a line of the stream and the number of bytes, and at
 * last the job's events. A frame that a lost connection has cut is read again with the next one.
 */
export class FollowedOutput {
    /** The job's events after its end. */
    events: string | undefined;
    private readonly shown = { stdout: 0, stderr: 0, exception: 0 };

    constructor(private readonly output: Pick<JobOutput, "show">) {}

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
            if (!Object.hasOwn(this.shown, stream) || !/^\d+$/.test(size)) {
                throw new Error("the command in the lead printed something else than a job's output");
            }
            const end = line + 1 + Number(size);
            if (left.length < end) {
                return Buffer.from(left);
            }
            await this.show(stream as keyof typeof this.shown, left.subarray(line + 1, end));
            left = left.subarray(end);
        }
    }

    private async show(stream: keyof typeof this.shown, bytes: Buffer): Promise<void> {
        await this.output.show(stream === "stdout" ? "stdout" : "stderr", bytes);
        this.shown[stream] += stream === "exception" ? 1 : bytes.length;
    }
}

/** Keeps the end of what a command prints. */
export class Kept extends Writable {
    text = "";

    override _write(chunk: Buffer, _encoding: string, done: () => void): void {
        this.text = (this.text + chunk.toString()).slice(-4096);
        done();
    }
}
