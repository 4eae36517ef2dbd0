import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { cgroupName } from "./folders";
import type { Site } from "./site";

const mounted = "/sys/fs/cgroup";

/** Beside the kubelet's "kubepods", as systemd's system.slice is on other nodes. */
const serversName = "servers";

/**
 * One group for the node. In it the kubelet keeps all pods below one, which must exist when it starts; the servers have
 * another. Were they in the machine's root group, each of their threads would weigh as much as all pods together.
 */
export function makeCgroups(site: Site): void {
  for (const hierarchy of hierarchies()) {
    const node = join(hierarchy, cgroupName(site));
    makeGroup(hierarchy, node);
    makeGroup(node, join(node, serversName));
    // What the two have together on a node of its own: the pods get as much for each core.
    const shares = 1 + availableParallelism();
    writeIfThere(join(node, "cpu.shares"), 1024 * shares);
    writeIfThere(join(node, "cpu.weight"), 100 * shares);
  }
}

/** Moves a server and all that it will start, but for the pods: the runtime puts those elsewhere. */
export function enterServersGroup(site: Site, pid: number): void {
  for (const hierarchy of hierarchies()) {
    const servers = join(hierarchy, cgroupName(site), serversName);
    if (existsSync(join(servers, "cpu.shares")) || existsSync(join(servers, "cpu.weight"))) {
      writeFileSync(join(servers, "cgroup.procs"), String(pid));
    }
  }
}

/** The processes in our groups; a process of version 1 is in one group of each hierarchy. */
export function cgroupMembers(site: Site): number[] {
  const groups = ourGroups(site);
  return [...new Set(groups.flatMap((group) => readFileSync(join(group, "cgroup.procs"), "utf8").split("\n").filter(Boolean).map(Number)))];
}

/** Empty groups only can go, innermost first. */
export function removeCgroups(site: Site): void {
  for (const group of ourGroups(site).reverse()) rmdirSync(group);
}

/** Outermost first. */
export function ourGroups(site: Site): string[] {
  return hierarchies().map((hierarchy) => join(hierarchy, cgroupName(site))).filter((group) => existsSync(group)).flatMap(withChildren);
}

function withChildren(group: string): string[] {
  const children = readdirSync(group, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return [group, ...children.flatMap((child) => withChildren(join(group, child.name)))];
}

function hierarchies(): string[] {
  if (existsSync(join(mounted, "cgroup.controllers"))) return [mounted];
  const names = readdirSync(mounted, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return names.map((entry) => join(mounted, entry.name)).filter((path) => existsSync(join(path, "cgroup.procs")));
}

function makeGroup(parent: string, group: string): void {
  if (existsSync(group)) return;
  mkdirSync(group);
  // In version 1 a new cpuset is empty, and no process can enter it.
  for (const file of ["cpuset.cpus", "cpuset.mems"]) copySetting(parent, group, file);
}

function writeIfThere(file: string, value: number): void {
  if (existsSync(file)) writeFileSync(file, String(value));
}

function copySetting(from: string, to: string, file: string): void {
  if (existsSync(join(from, file)) && existsSync(join(to, file))) {
    if (readFileSync(join(to, file), "utf8").trim() === "") writeFileSync(join(to, file), readFileSync(join(from, file)));
  }
}
