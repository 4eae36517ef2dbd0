import { readFileSync } from "node:fs";

/** Identity of a process. The process id alone is no identity, because the kernel reuses it. */
export interface ProcessId {
    readonly pid: number;
    /** Clock ticks since boot, field 22 of /proc/PID/stat. */
    readonly startTime: string;
}

export function identify(pid: number): ProcessId | undefined {
    const stat = statFields(pid);
    // A zombie has ended; its parent has not read its exit code yet.
    return stat === undefined || stat[0] === "Z" ? undefined : { pid, startTime: stat[19] ?? "" };
}

export function isAlive(process: ProcessId): boolean {
    return identify(process.pid)?.startTime === process.startTime;
}

export function send(pid: number, signal: NodeJS.Signals): void {
    try {
        process.kill(pid, signal);
    } catch {
        // The process has ended by itself.
    }
}

/** The fields after the command's name. The name may contain spaces and brackets. */
function statFields(pid: number): string[] | undefined {
    try {
        const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
        return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    } catch {
        return undefined;
    }
}
