import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import type { Readable } from "node:stream";

import { startOf } from "./program";

/** The end of a child process. */
export interface Ended {
    readonly code: number | null;
    readonly signal: string | null;
    readonly stdout: string;
    readonly stderr: string;
}

/** What ends a child process before its own end. The error then has `stderr`: what the process has printed there. */
export interface Limits {
    readonly seconds: number;
    readonly cancelled: AbortSignal;
}

/** Milliseconds that a process gets to end itself. */
const GRACE = 2000;

const SIGNALS = ["SIGHUP", "SIGINT", "SIGTERM"] as const;

const running = new Set<ChildProcess>();

/**
 * Runs a command without standard input until it ends. After its time limit, after a cancellation and at the end of this
 * process, the command is ended with all processes that it has started: it has a process group of its own, except on Windows.
 */
export async function runChild(
    command: string,
    args: readonly string[],
    env: NodeJS.ProcessEnv,
    { cancelled, seconds }: Limits,
): Promise<Ended> {
    cancelled.throwIfAborted();
    const start = startOf(command, args, env);
    const child = spawn(start.file, start.args, { ...start.options, env, stdio: ["ignore", "pipe", "pipe"] });
    const over = new AbortController();
    const printed = [collect(child.stdout), collect(child.stderr)] as const;
    const stopped = new Promise<never>((_resolve, reject) => {
        const stop = ({ message }: Error) => {
            end(child);
            reject(Object.assign(new Error(message), { stderr: textOf(printed[1]) }));
        };
        const late = () => stop(new Error(`it has not ended within ${seconds} s`));
        const timer = setTimeout(late, seconds * 1000);
        over.signal.addEventListener("abort", () => clearTimeout(timer), { once: true });
        cancelled.addEventListener("abort", () => stop(cancelled.reason as Error), { signal: over.signal });
    });
    hold(child);
    try {
        const ended = once(child, "close") as Promise<[number | null, string | null]>;
        const [code, signal] = await Promise.race([ended, stopped]);
        const [stdout, stderr] = printed.map(textOf);
        return { code, signal, stdout, stderr };
    } finally {
        over.abort();
    }
}

function collect(stream: Readable): Buffer[] {
    const chunks: Buffer[] = [];
    stream.on("data", (chunk: Buffer) => chunks.push(chunk));
    // The end of the process tells.
    stream.on("error", () => undefined);
    return chunks;
}

function textOf(chunks: readonly Buffer[]): string {
    return Buffer.concat(chunks).toString();
}

/** Ends a process and those that it has started, at the latest after a grace period. */
function end(child: ChildProcess): void {
    signalGroup(child, "SIGTERM");
    // Its output ends when none of its processes is left.
    const timer = setTimeout(() => signalGroup(child, "SIGKILL"), GRACE);
    child.once("close", () => clearTimeout(timer));
    timer.unref();
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
    if (process.platform === "win32") {
        // Windows has neither groups nor signals. Most programs without a window end only by force.
        spawnSync("taskkill", ["/pid", String(pid), "/t", "/f"], { stdio: "ignore", windowsHide: true });
        return;
    }
    try {
        process.kill(-(pid as number), signal);
    } catch {
        // No process of the group is left, or none was started.
    }
}

function hold(child: ChildProcess): void {
    ["close", "error"].forEach((event) => child.once(event, () => release(child)));
    if (running.size === 0) {
        process.on("exit", kill);
        // First, because a listener that is called once isn't counted any more afterwards.
        SIGNALS.forEach((signal) => process.prependListener(signal, endWith));
    }
    running.add(child);
}

function release(child: ChildProcess): void {
    running.delete(child);
    if (running.size === 0) {
        process.off("exit", kill);
        SIGNALS.forEach((signal) => process.off(signal, endWith));
    }
}

/** At the end of this process, a plugin gets no grace period. */
function kill(): void {
    running.forEach((child) => signalGroup(child, "SIGKILL"));
}

/** A listener keeps a signal from ending this process. So this one sends the signal again if there is no other. */
function endWith(signal: NodeJS.Signals): void {
    const isAlone = process.listenerCount(signal) === 1;
    running.forEach((child) => signalGroup(child, "SIGTERM"));
    if (isAlone) {
        process.off(signal, endWith);
        process.kill(process.pid, signal);
    }
}
