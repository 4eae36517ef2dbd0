import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { cgroupName } from "./folders";
import type { Site } from "./site";

const mounted = "/sys/fs/cgroup";

/** Creates the group below which the kubelet keeps all pods. It must exist when the kubelet starts. */
export function makeCgroups(site: Site): void {
    for (const hierarchy of hierarchies()) {
        const group = join(hierarchy, cgroupName(site));
        if (existsSync(group)) {
            continue;
        }
        mkdirSync(group);
        // In cgroup v1, a new cpuset is empty, and no process can enter it.
        for (const file of ["cpuset.cpus", "cpuset.mems"]) {
            copySetting(hierarchy, group, file);
        }
    }
}

/** The processes in this site's groups. In cgroup v1, a process is in one group of each hierarchy. */
export function cgroupMembers(site: Site): number[] {
    const groups = ourGroups(site);
    return [
        ...new Set(
            groups.flatMap((group) =>
                readFileSync(join(group, "cgroup.procs"), "utf8").split("\n").filter(Boolean).map(Number),
            ),
        ),
    ];
}

/** Removes this site's groups, the innermost first. Only empty groups can be removed. */
export function removeCgroups(site: Site): void {
    for (const group of ourGroups(site).reverse()) {
        rmdirSync(group);
    }
}

/** This site's groups, the outermost first. */
export function ourGroups(site: Site): string[] {
    return hierarchies()
        .map((hierarchy) => join(hierarchy, cgroupName(site)))
        .filter((group) => existsSync(group))
        .flatMap(withChildren);
}

function withChildren(group: string): string[] {
    const children = readdirSync(group, { withFileTypes: true }).filter((entry) => entry.isDirectory());
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
