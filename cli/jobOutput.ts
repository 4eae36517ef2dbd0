import { Writable } from "node:stream";

import { written } from "./terminal";

/** Longest output in bytes that `--json` prints: its last part, because the reason of a failure is at the end. */
const MOST = 64 * 2 ** 20;

/** Takes the output of a job. Nothing more is read until it has taken what it was given. */
export interface JobOutput {
    show(stream: "stdout" | "stderr", bytes: Buffer): Promise<void>;
    /** The job has ended. */
    end(jobId: string, exitCode: number): Promise<void>;
}

/** Prints the output of a job as it comes. */
export const printed: JobOutput = {
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

    async end(jobId: string, exitCode: number): Promise<void> {
        const output = Buffer.concat(this.chunks).toString();
        const omittedBytes = this.omitted === 0 ? undefined : this.omitted;
        await this.print(`${JSON.stringify({ jobId, exitCode, output, omittedBytes })}\n`);
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

/** Passes on a stream that starts again after each lost connection, but each byte only once. */
export class Resumed {
    private shown = 0;

    constructor(private readonly show: (bytes: Buffer) => Promise<void>) {}

    /** How many bytes have been passed on. */
    get bytes(): number {
        return this.shown;
    }

    again(): Writable {
        let seen = 0;
        return new Writable({
            write: (chunk: Buffer, _encoding, done) => {
                const fresh = chunk.subarray(Math.max(0, this.shown - seen));
                seen += chunk.length;
                this.shown = Math.max(this.shown, seen);
                if (fresh.length === 0) {
                    done();
                } else {
                    this.show(fresh).then(() => done(), done);
                }
            },
        });
    }
}
