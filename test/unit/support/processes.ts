import { readdirSync, readFileSync } from "node:fs";

/** Numbers of the processes of this machine whose environment has all these words, such as `FLUX_JOB_ID=f1`. */
export function processesWith(...words: readonly string[]): number[] {
    return pids().filter((pid) => {
        const environment = read(pid, "environ").split("\0");
        return words.every((word) => environment.includes(word));
    });
}

/** A zombie has ended: it only waits for its parent to notice. */
export function isAlive(pid: number): boolean {
    const state = /\) (\w)/.exec(read(pid, "stat"))?.[1];
    return state !== undefined && state !== "Z" && state !== "X";
}

/** A child that is still a copy of the shell has the shell's traps, and doesn't hear a signal. */
export function hasChild(pid: number, program: string): boolean {
    const children = read(pid, `task/${pid}/children`).split(" ").filter(Boolean).map(Number);
    return children.some((child) => read(child, "comm").trim() === program);
}

function pids(): number[] {
    return readdirSync("/proc")
        .filter((name) => /^\d+$/.test(name))
        .map(Number);
}

/** Nothing where the process has ended, or is another user's. */
function read(pid: number, file: string): string {
    try {
        return readFileSync(`/proc/${pid}/${file}`, "utf8");
    } catch {
        return "";
    }
}
