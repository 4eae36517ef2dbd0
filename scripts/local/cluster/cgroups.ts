import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { waitUntil } from "../run";

const mounted = "/sys/fs/cgroup";

/** Creates a group below which the kubelet keeps all pods. It must exist when the kubelet starts. */
export function makeCgroups(name: string): void {
    for (const hierarchy of hierarchies()) {
        const group = join(hierarchy, name);
        if (existsSync(group)) {
            continue;
        }
        mkdirSync(group);
        // In cgroup v1, a new cpuset is empty, and no process can enter it.
        for (const file of ["cpuset.cpus", "cpuset.mems"]) {
            copySetting(dirname(group), group, file);
        }
    }
}

/**
 * Limits the pods of a node to some CPUs. The kubelet must be healthy: while it starts, it gives them all CPUs of the
 * machine.
 */
export async function limitPods(name: string, cpus: string): Promise<void> {
    const limited = async (): Promise<boolean> => {
        // In cgroup v1, a group must have all CPUs of the groups below it.
        const files = groupsOf(join(name, "kubepods"))
            .reverse()
            .map((group) => join(group, "cpuset.cpus"));
        return files.filter((file) => existsSync(file)).every((file) => tryWrite(file, cpus));
    };
    await waitUntil(`The pods of ${name} have the CPUs ${cpus}`, 30, limited);
}

/** False if a new group below has more CPUs. */
function tryWrite(file: string, text: string): boolean {
    try {
        writeFileSync(file, text);
        return true;
    } catch {
        return false;
    }
}

/** The processes in a group and below. In cgroup v1, a process is in one group of each hierarchy. */
export function cgroupMembers(name: string): number[] {
    return [...new Set(groupsOf(name).flatMap((group) => unlessGone(() => membersOf(group), [])))];
}

const membersOf = (group: string): number[] =>
    readFileSync(join(group, "cgroup.procs"), "utf8").split("\n").filter(Boolean).map(Number);

/** The runtime removes groups at any time. */
function unlessGone<T>(act: () => T, otherwise: T): T {
    try {
        return act();
    } catch (error) {
        if (["ENODEV", "ENOENT"].includes((error as NodeJS.ErrnoException).code ?? "")) {
            return otherwise;
        }
        throw error;
    }
}

/** Removes a group and those below, the innermost first. Only empty groups can be removed. */
export function removeCgroups(name: string): void {
    for (const group of groupsOf(name).reverse()) {
        unlessGone(() => rmdirSync(group), undefined);
    }
}

/** The folders of a group and of those below, the outermost first. */
export function groupsOf(name: string): string[] {
    return hierarchies()
        .map((hierarchy) => join(hierarchy, name))
        .filter((group) => existsSync(group))
        .flatMap(withChildren);
}

function withChildren(group: string): string[] {
    const entries = unlessGone(() => readdirSync(group, { withFileTypes: true }), []);
    const children = entries.filter((entry) => entry.isDirectory());
    return [group, ...children.flatMap((child) => withChildren(join(group, child.name)))];
}

function hierarchies(): string[] {
    if (existsSync(join(mounted, "cgroup.controllers"))) {
        return [mounted];
    }
    const names = readdirSync(mounted, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    return names.map((entry) => join(mounted, entry.name)).filter((path) => existsSync(join(path, "cgroup.procs")));
}

function copySetting(from: string, to: string, file: string): void {
    if (existsSync(join(from, file)) && existsSync(join(to, file))) {
        if (readFileSync(join(to, file), "utf8").trim() === "") {
            writeFileSync(join(to, file), readFileSync(join(from, file)));
        }
    }
}
