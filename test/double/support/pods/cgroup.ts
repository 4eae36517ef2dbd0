import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { groupsOf, makeCgroups, removeCgroups } from "../../../../scripts/local/cluster/cgroups";

/** What is left to a container. */
export interface Limits {
    /** Millicores. */
    readonly cpu?: number;
    /** Bytes besides those that its processes use now. */
    readonly memoryLeft?: number;
    /** Processes and threads besides those that run now. */
    readonly processesLeft?: number;
}

const PERIOD = 100_000;

/** The control group of a container. Without limits it changes nothing. A pod of this folder has none by default. */
export class Cgroup {
    private static made = 0;
    private readonly name = `flux-pods-${process.pid}-${Cgroup.made++}`;

    constructor() {
        makeCgroups(this.name);
    }

    limit(limits: Limits): void {
        limitGroups(groupsOf(this.name), limits);
    }

    /** Moves processes into the group, unless they have ended; those that they start are in it too. */
    add(pids: readonly number[]): void {
        for (const file of this.members) {
            pids.forEach((pid) => enter(file, pid));
        }
    }

    /** A command that enters the group first. */
    entering(command: readonly string[]): string[] {
        const enter = `for file in ${this.members.join(" ")}; do echo $$ >"$file"; done; exec "$@"`;
        return ["/bin/sh", "-c", enter, "sh", ...command];
    }

    /** Without processes it can be removed. */
    remove(): void {
        removeCgroups(this.name);
    }

    private get members(): string[] {
        return groupsOf(this.name).map((group) => join(group, "cgroup.procs"));
    }
}

/** The control groups of a process. In cgroup v1 it has one in each hierarchy, all with the same path in a container. */
export function groupsOfProcess(pid: number): string[] {
    const lines = readFileSync(`/proc/${pid}/cgroup`, "utf8").trimEnd().split("\n");
    const paths = lines.map((line) => line.split(":").slice(2).join(":").replace(/^\//, ""));
    return [...new Set(paths)].filter(Boolean).flatMap((path) => groupsOf(path));
}

/** Sets limits of these groups. */
export function limitGroups(groups: readonly string[], { cpu, memoryLeft, processesLeft }: Limits): void {
    const files = (name: string) => groups.map((group) => join(group, name)).filter((path) => existsSync(path));
    const used = (name: string) => Math.max(0, ...files(name).map((path) => Number(readFileSync(path, "utf8"))));
    const set = (name: string, value: number | string) => {
        for (const path of files(name)) {
            writeFileSync(path, String(value));
        }
    };
    // The files of cgroup v1 and v2.
    if (cpu !== undefined) {
        const quota = Math.round((cpu * PERIOD) / 1000);
        set("cpu.cfs_quota_us", quota);
        set("cpu.max", `${quota} ${PERIOD}`);
    }
    if (memoryLeft !== undefined) {
        set("memory.limit_in_bytes", used("memory.usage_in_bytes") + memoryLeft);
        set("memory.max", used("memory.current") + memoryLeft);
    }
    if (processesLeft !== undefined) {
        set("pids.max", used("pids.current") + processesLeft);
    }
}

function enter(file: string, pid: number): void {
    try {
        writeFileSync(file, String(pid));
    } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "ESRCH") {
            throw error;
        }
    }
}
