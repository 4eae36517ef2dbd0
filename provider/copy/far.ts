import { readFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough, type Readable, Writable } from "node:stream";

import { quote } from "../contract/paths";
import { KILLED } from "../flux/calls";

/** The streams of a command that runs in a pod. */
export interface FarStreams {
    readonly command: readonly string[];
    readonly stdin: Readable;
    readonly stdout: Writable;
    readonly stderr: Writable;
    readonly signal: AbortSignal;
}

/** Runs a command in a pod, and returns its exit code. */
export type RunThere = (streams: FarStreams) => Promise<number>;

/** What copy.sh puts before the lines that are not of tar. */
const OURS = "minicluster-cp: ";
/** GNU tar's exit code if files changed while it read them. */
const CHANGED = 1;
/** Most lines of other programs in an error. */
const MOST_LINES = 3;

/** A run of copy.sh. */
export class FarCopy {
    readonly stdin = new PassThrough();
    private readonly said = new Said();
    private taken = 0;
    private isAnswered = false;

    constructor(
        private readonly run: RunThere,
        /** Where the path is, such as `rank 0 of hpc/lammps`. */
        private readonly where: string,
    ) {}

    /** Calls a function of copy.sh. Fails if it does. Returns what it says by name, and tar's warnings. */
    async call(words: readonly string[], stdout: Writable, signal: AbortSignal): Promise<Answer> {
        const script = readFileSync(join(__dirname, "copy.sh"), "utf8");
        this.stdin.write(`${script}\n${words.map(quote).join(" ")}; exit\n`);
        this.said.on(SAID, () => this.take(0));
        const exitCode = await this.run({
            command: ["bash", "-s"],
            stdin: this.stdin,
            stdout,
            stderr: this.said,
            signal,
        });
        const { facts, others } = this.said;
        const isCut = others.some((line) => line.includes("File shrank by"));
        if (exitCode === 0 || (exitCode === CHANGED && facts.error === undefined && !isCut)) {
            return { facts, warnings: others };
        }
        throw new Error(`${this.where}: ${this.failure(exitCode)}`);
    }

    /** Counts bytes of the archive that have come. When they are all, the pod is told: its command waits for that. */
    take(bytes: number): void {
        this.taken += bytes;
        if (!this.isAnswered && this.said.size !== undefined && this.taken >= this.said.size) {
            this.isAnswered = true;
            this.stdin.write("\n");
        }
    }

    private failure(exitCode: number): string {
        const { facts, others } = this.said;
        if (facts.error !== undefined) {
            return facts.error;
        }
        if (KILLED.includes(exitCode)) {
            return `the command in the pod was killed (${exitCode}); the pod may have ended`;
        }
        const lines = others.filter((line) => !line.includes("previous errors"));
        return lines.length === 0
            ? `the command in the pod failed (${exitCode})`
            : lines.slice(0, MOST_LINES).join("; ");
    }
}

export interface Answer {
    readonly facts: Readonly<Record<string, string | undefined>>;
    readonly warnings: readonly string[];
}

/** The event of new lines on standard error. */
const SAID = "said";

/** Standard error of copy.sh. */
class Said extends Writable {
    /** Bytes of the archive that the pod has sent; undefined before it has sent all. */
    size: number | undefined;
    private text = "";

    override _write(chunk: Buffer, _encoding: string, done: () => void): void {
        // Of a tar that complains about each of a million files, the last complaints say enough.
        this.text = (this.text + chunk.toString("latin1")).slice(-1024 * 1024);
        const size = /^minicluster-cp: bytes (\d+)$/m.exec(this.text)?.[1];
        this.size = size === undefined ? undefined : Number(size);
        this.emit(SAID);
        done();
    }

    private get lines(): string[] {
        const text = Buffer.from(this.text, "latin1").toString();
        return text
            .split("\n")
            .map((line) => line.replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, "?"))
            .filter(Boolean);
    }

    get facts(): Answer["facts"] {
        const ours = this.lines.filter((line) => line.startsWith(OURS)).map((line) => line.slice(OURS.length));
        return Object.fromEntries(ours.map((line) => [line.split(" ", 1)[0], line.slice(line.indexOf(" ") + 1)]));
    }

    /** Lines of other programs, without the part that every line of tar has. */
    get others(): string[] {
        return this.lines.filter((line) => !line.startsWith(OURS)).map((line) => line.replace(/^tar: /, ""));
    }
}
