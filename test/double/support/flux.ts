import { spawn, type ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";

import { fluxRoot } from "./root";

/** How a program ended. A signal counts as 128 and its number, as in a shell. */
export interface Ended {
    readonly code: number;
    readonly stdout: string;
    readonly stderr: string;
}

export interface Options {
    readonly env?: Readonly<Record<string, string>>;
    readonly input?: string;
    readonly uid?: number;
}

const signals: Readonly<Record<string, number>> = { SIGHUP: 1, SIGKILL: 9, SIGTERM: 15 };
// As in a container: the program is process 1 and nothing outlives it. The mounts are private, so nothing has to be undone.
const namespaces = ["--mount", "--pid", "--fork", "--kill-child"];
const enter = 'mount --bind /dev "$0/dev" && mount -t proc proc "$0/proc" && exec chroot "$@"';

/** Starts a program in the file system under test. */
export async function start(command: readonly string[], { env = {}, input, uid }: Options = {}): Promise<Running> {
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
    child.stdin.end(input ?? "");
    return new Running(child);
}

/** Runs a program in the file system under test to its end. */
export async function inside(command: readonly string[], options?: Options): Promise<Ended> {
    return (await start(command, options)).ended;
}

/** `flux …` */
export const flux = (...args: string[]): Promise<Ended> => inside(["flux", ...args]);

/** A program that was started, and what it has said. */
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

    get alive(): boolean {
        return !this.over;
    }

    /** The number of the program itself, while there is one. */
    private get pid(): number | undefined {
        const { pid } = this.child;
        try {
            return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8")) || undefined;
        } catch {
            return undefined;
        }
    }

    /** SIGKILL ends everything that the program has started, as when a container is killed. */
    kill(signal: NodeJS.Signals): void {
        const pid = signal === "SIGKILL" ? undefined : this.pid;
        if (pid === undefined) {
            this.child.kill(signal);
        } else {
            process.kill(pid, signal);
        }
    }

    /** Waits for a line on stderr (or stdout); its absence at the end is a failure. */
    async says(pattern: RegExp): Promise<void> {
        while (!pattern.test(this.stderr) && !pattern.test(this.stdout)) {
            if (this.over) {
                throw new Error(`${pattern} was never said:\n${this.stdout}${this.stderr}`);
            }
            await new Promise<void>((resolve) => this.waiting.push(resolve));
        }
    }
}
