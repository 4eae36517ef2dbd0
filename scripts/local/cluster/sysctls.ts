import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";

/** Settings of the whole machine that the kubelet changes. */
const changed = ["/proc/sys/vm/overcommit_memory", "/proc/sys/kernel/panic", "/proc/sys/kernel/panic_on_oops"];

/** Saves the settings, unless another cluster on the machine has saved them. The last cluster restores them. */
export function saveSysctls(file: string): void {
    if (existsSync(file)) {
        return;
    }
    const values = Object.fromEntries(changed.map((path) => [path, readFileSync(path, "utf8").trim()]));
    writeFileSync(file, JSON.stringify(values));
}

export function restoreSysctls(file: string): void {
    if (!existsSync(file)) {
        return;
    }
    const values = JSON.parse(readFileSync(file, "utf8")) as Record<string, string>;
    for (const [path, value] of Object.entries(values)) {
        if (readFileSync(path, "utf8").trim() !== value) {
            writeFileSync(path, value);
        }
    }
    rmSync(file);
}
