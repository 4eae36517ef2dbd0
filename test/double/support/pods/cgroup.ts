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

    limit({ cpu, memoryLeft, processesLeft }: Limits): void {
        // The files of cgroup v1 and v2.
        if (cpu !== undefined) {
            const quota = Math.round((cpu * PERIOD) / 1000);
            this.set("cpu.cfs_quota_us", quota);
            this.set("cpu.max", `${quota} ${PERIOD}`);
        }
        if (memoryLeft !== undefined) {
            this.set("memory.limit_in_bytes", this.used("memory.usage_in_bytes") + memoryLeft);
            this.set("memory.max", this.used("memory.current") + memoryLeft);
        }
        if (processesLeft !== undefined) {
            this.set("pids.max", this.used("pids.current") + processesLeft);
        }
    }

    /** Moves processes into the group; those that they start are in it too. */
    add(pids: readonly number[]): void {
        for (const file of this.members) {
            for (const pid of pids) {
                writeFileSync(file, String(pid));
            }
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

    private used(file: string): number {
        return Math.max(0, ...this.files(file).map((path) => Number(readFileSync(path, "utf8"))));
    }

    private set(file: string, value: number | string): void {
        for (const path of this.files(file)) {
            writeFileSync(path, String(value));
        }
    }

    private files(name: string): string[] {
        return groupsOf(this.name)
            .map((group) => join(group, name))
            .filter((path) => existsSync(path));
    }
}
