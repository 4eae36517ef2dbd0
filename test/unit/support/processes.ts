import { readdirSync, readFileSync } from "node:fs";

/** Ids of this machine's processes whose environment has all these words, such as `FLUX_JOB_ID=f1`. */
export function processesWith(...words: readonly string[]): number[] {
    return pids().filter((pid) => {
        const environment = read(pid, "environ").split("\0");
        return words.every((word) => environment.includes(word));
    });
}

/** Kills the processes of `processesWith`, also those that end meanwhile. */
export function killProcessesWith(...words: readonly string[]): void {
    processesWith(...words).forEach((pid) => sendSignal(pid, "SIGKILL"));
}

/** Sends a signal to a process, which may have ended. */
export function sendSignal(pid: number, signal: NodeJS.Signals): void {
    try {
        process.kill(pid, signal);
    } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "ESRCH") {
            throw error;
        }
    }
}

/** Whether a process runs. A zombie has ended, and only its parent hasn't noticed that yet. */
export function isAlive(pid: number): boolean {
    const state = /\) (\w)/.exec(read(pid, "stat"))?.[1];
    return state !== undefined && state !== "Z" && state !== "X";
}

/** Whether a child runs this program. Before, the child is a copy of the shell with its traps, which miss a signal. */
export function hasChild(pid: number, program: string): boolean {
    const children = read(pid, `task/${pid}/children`).split(" ").filter(Boolean).map(Number);
    return children.some((child) => read(child, "comm").trim() === program);
}

function pids(): number[] {
    return readdirSync("/proc")
        .filter((name) => /^\d+$/.test(name))
        .map(Number);
}

/** Empty if the process has ended or belongs to another user. */
function read(pid: number, file: string): string {
    try {
        return readFileSync(`/proc/${pid}/${file}`, "utf8");
    } catch {
        return "";
    }
}
