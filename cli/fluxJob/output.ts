import { foreignJson } from "../../provider/contract/foreignText";
import type { OutputReader } from "../../provider/flux/followedOutput";
import type { Arguments } from "../definition/arguments";
import { written } from "../terminal/terminal";

/** Longest output in bytes that `--json` prints: its last part, because the reason of a failure is at the end. */
const MOST = 64 * 2 ** 20;

/** Takes the output of a job. */
export interface JobOutput extends OutputReader {
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
        await this.print(`${foreignJson({ jobId, exitCode: exitCode ?? null, output, omittedBytes })}\n`);
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
