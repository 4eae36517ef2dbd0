import { spawn, type ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";

import { fluxRoot } from "./root";
import { limit } from "../../../scripts/tests/limits";

/** The end of a program. After a signal, `code` is 128 plus its number, as in a shell. */
export interface Ended {
    readonly code: number;
    readonly stdout: string;
    readonly stderr: string;
}

export interface Options {
    readonly env?: Readonly<Record<string, string>>;
    readonly input?: string;
    /** Standard input that goes on after this. */
    readonly begin?: string;
    readonly uid?: number;
}

const signals: Readonly<Record<string, number>> = { SIGHUP: 1, SIGKILL: 9, SIGTERM: 15 };
// As in a container, the program is process 1 and no other process outlives it. The mounts are private, so they need no
// clean-up.
const namespaces = ["--mount", "--pid", "--fork", "--kill-child"];
const enter = 'mount --bind /dev "$0/dev" && mount -t proc proc "$0/proc" && exec chroot "$@"';

/** Starts a program in the tested file system. */
export async function start(
    command: readonly string[],
    { begin, env = {}, input, uid }: Options = {},
): Promise<Running> {
    const root = await fluxRoot();
    const user = uid === undefined ? [] : [`--userspec=${uid}:${uid}`];
    const variables = Object.entries({
        PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        LC_ALL: "C.UTF-8",
        HOME: "/",
        ...env,
    });
    const inside = ["env", "-i", ...variables.map(([name, value]) => `${name}=${value}`), ...command];
    const child = spawn("unshare", [...namespaces, "sh", "-c", enter, root, ...user, root, ...inside]);
    child.stdin.on("error", () => undefined);
    if (begin === undefined) {
        child.stdin.end(input ?? "");
    } else {
        child.stdin.write(begin);
    }
    return new Running(child);
}

/** Runs a program in the tested file system to its end. */
export async function inside(command: readonly string[], options?: Options): Promise<Ended> {
    return (await start(command, options)).ended;
}

/** Runs `flux …` to its end. */
export const flux = (...args: string[]): Promise<Ended> => inside(["flux", ...args]);

/** Less than most tests have, so that a failure shows the output. */
const SAYS_SECONDS = 100;

/** A started program and its output. */
export class Running {
    readonly ended: Promise<Ended>;
    stdout = "";
    stderr = "";
    private waiting: (() => void)[] = [];
    private over = false;

    constructor(private readonly child: ChildProcess) {
        child.stdout?.on("data", (data: Buffer) => this.heard(() => (this.stdout += data.toString())));
        child.stderr?.on("data", (data: Buffer) => this.heard(() => (this.stderr += data.toString())));
        this.ended = new Promise((resolve, reject) => {
            child.once("error", reject);
            child.once("close", (code, signal) => {
                this.heard(() => (this.over = true));
                resolve({ code: code ?? 128 + (signals[signal ?? ""] ?? 0), stdout: this.stdout, stderr: this.stderr });
            });
        });
    }

    private heard(note: () => void): void {
        note();
        const waiting = this.waiting;
        this.waiting = [];
        for (const wake of waiting) {
            wake();
        }
    }

    write(text: string | Buffer): void {
        this.child.stdin?.write(text);
    }

    endInput(): void {
        this.child.stdin?.end();
    }

    get alive(): boolean {
        return !this.over;
    }

    /** Pid of the program itself, undefined after its end. */
    private get pid(): number | undefined {
        const { pid } = this.child;
        try {
            return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8")) || undefined;
        } catch {
            return undefined;
        }
    }

    /** Sends a signal to the program. SIGKILL also ends all processes that it has started, as in a container. */
    kill(signal: NodeJS.Signals): void {
        const pid = signal === "SIGKILL" ? undefined : this.pid;
        if (pid === undefined) {
            this.child.kill(signal);
        } else {
            process.kill(pid, signal);
        }
    }

    /** Waits for a line on stderr or stdout. Fails after 100 s on a quiet machine, or if the program ends without it. */
    async says(pattern: RegExp): Promise<void> {
        let late = false;
        const timer = setTimeout(() => this.heard(() => (late = true)), limit(SAYS_SECONDS) * 1000);
        try {
            while (!pattern.test(this.stderr) && !pattern.test(this.stdout)) {
                if (this.over || late) {
                    throw new Error(`${pattern} was never printed:\n${this.stdout}${this.stderr}`);
                }
                await new Promise<void>((resolve) => this.waiting.push(resolve));
            }
        } finally {
            clearTimeout(timer);
        }
    }
}
