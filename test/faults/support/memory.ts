import { readFileSync } from "node:fs";

/** The highest resident memory of some processes until the work ends, in MB. */
export async function peakMegabytesDuring(work: Promise<unknown>, pids: readonly number[]): Promise<number[]> {
    let running = true;
    let megabytes = pids.map(() => 0);
    void work.finally(() => (running = false)).catch(() => undefined);
    while (running) {
        megabytes = pids.map((pid, index) => Math.max(megabytes[index], peakMegabytes(pid)));
        await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return megabytes;
}

/** The highest resident memory so far; 0 after the process has ended. */
function peakMegabytes(pid: number): number {
    try {
        return Math.round(Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024);
    } catch {
        return 0;
    }
}
