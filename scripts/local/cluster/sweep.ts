import { existsSync, readdirSync, readFileSync, readlinkSync, rmdirSync, rmSync } from "node:fs";
import { join } from "node:path";

import { send } from "../processes";
import { sleep, tryRun } from "../run";
import { cgroupMembers, removeCgroups } from "./cgroups";
import { cgroupName, networkNamespace, runtimeStateDir } from "./folders";
import { networkInode, removeNamespace } from "./network";
import type { Site } from "./site";

/** What a cluster, or one of its nodes, has on the machine. */
export interface Possessions {
    /** Folders of sockets and network namespaces. */
    readonly runDirs: readonly string[];
    /** Folder of images, pods and volumes. */
    readonly folder: string;
    /** Name of the control group. */
    readonly cgroup: string;
}

/** The possessions of a site, those of all its nodes included. */
export const possessionsOf = (site: Site): Possessions => ({
    runDirs: [site.runDir, ...filesIn(site.runDir).filter((path) => /\/node-\d+$/.test(path))],
    folder: join(site.owner, "cluster"),
    cgroup: cgroupName(site),
});

/** Ends the processes and removes mounts, network namespaces, control groups and files in fixed folders. */
export async function sweep(ours: Possessions): Promise<void> {
    await killMembers(ours);
    await unmountBelow([ours.folder, ...ours.runDirs], networks(ours));
    for (const network of networks(ours)) {
        await removeNamespace(network);
    }
    removeCgroups(ours.cgroup);
    removeTraces(ours);
}

const networks = ({ runDirs }: Possessions): string[] => runDirs.map((runDir) => networkNamespace({ runDir }));

/** Processes that certainly belong to the cluster: those in its network namespaces or in its control groups. */
function members(ours: Possessions): number[] {
    const inodes = networks(ours).flatMap((network) => networkInode(network) ?? []);
    const links = new Set(inodes.map((inode) => `net:[${inode}]`));
    const inNetwork = links.size === 0 ? [] : processIds().filter((pid) => links.has(networkOf(pid)));
    return [...new Set([...inNetwork, ...cgroupMembers(ours.cgroup)])];
}

/** Kills all processes until none is left. It repeats, because a process may start another one meanwhile. */
async function killMembers(ours: Possessions): Promise<void> {
    const deadline = Date.now() + 20_000;
    for (let left = members(ours); left.length > 0; left = members(ours)) {
        if (Date.now() > deadline) {
            throw new Error(`These processes of the cluster can't be ended: ${left.join(", ")}. End them by hand.`);
        }
        for (const pid of left) {
            send(pid, "SIGKILL");
        }
        await sleep(50);
    }
}

/** Unmounts everything below the folders, the innermost first, except the network namespaces. */
async function unmountBelow(folders: readonly string[], kept: readonly string[]): Promise<void> {
    const ours = (): string[] =>
        mountPoints().filter(
            (point) => folders.some((folder) => point.startsWith(`${folder}/`)) && !kept.includes(point),
        );
    // Shared mounts are in the list twice and are unmounted together, so a failure may be harmless.
    for (let passes = 0; passes < 10 && ours().length > 0; passes++) {
        for (const point of ours().reverse()) {
            if ((await tryRun("umount", [point])) === undefined) {
                await tryRun("umount", ["--lazy", point]);
            }
        }
    }
    if (ours().length > 0) {
        throw new Error(`These mounts of the cluster can't be removed: ${ours().join(", ")}. Unmount them by hand.`);
    }
}

export function mountPoints(): string[] {
    const lines = readFileSync("/proc/self/mounts", "utf8").trim().split("\n");
    return lines.map((line) =>
        (line.split(" ")[1] ?? "").replace(/\\([0-7]{3})/g, (_, octal: string) =>
            String.fromCharCode(parseInt(octal, 8)),
        ),
    );
}

/** Removes files of containerd, CNI and the kubelet in folders with fixed paths. */
function removeTraces({ folder, runDirs }: Possessions): void {
    for (const shimSocket of shimSockets(runDirs)) {
        rmSync(shimSocket, { force: true });
    }
    for (const result of networkResults(runDirs)) {
        rmSync(result, { force: true });
    }
    removeWhere("/var/log/containers", (path) => linkTarget(path).startsWith(`${folder}/`));
    for (const shared of [
        "/var/lib/cni/results",
        "/var/lib/cni",
        "/var/log/containers",
        "/run/containerd/s",
        "/run/containerd",
    ]) {
        removeIfEmpty(shared);
    }
}

/** CNI's files about each pod's network. They contain the path of the pod's namespace. */
export function networkResults(runDirs: readonly string[]): string[] {
    const isOurs = (text: string): boolean => runDirs.some((runDir) => text.includes(`"${runDir}/`));
    return filesIn("/var/lib/cni/results").filter((file) => isOurs(readIfThere(file)));
}

/** The sockets of containerd's shims. Every shim writes the address of its socket to a file. */
export function shimSockets(runDirs: readonly string[]): string[] {
    const tasks = runDirs.map((runDir) => join(runtimeStateDir({ runDir }), "io.containerd.runtime.v2.task"));
    // Not recursively: the subfolders have the container's files, whose links may lead back here.
    const bundles = tasks.flatMap(filesIn).flatMap(filesIn);
    const texts = bundles.flatMap((bundle) =>
        ["address", "bootstrap.json"].map((name) => readIfThere(join(bundle, name))),
    );
    return texts.flatMap((text) => text.match(/\/run\/containerd\/s\/[0-9a-f]+/g) ?? []);
}

function removeWhere(folder: string, isOurs: (path: string) => boolean): void {
    for (const path of filesIn(folder).filter(isOurs)) {
        rmSync(path, { force: true });
    }
}

function filesIn(folder: string): string[] {
    return existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
}

function readIfThere(file: string): string {
    return existsSync(file) ? readFileSync(file, "utf8") : "";
}

function removeIfEmpty(folder: string): void {
    if (existsSync(folder) && readdirSync(folder).length === 0) {
        rmdirSync(folder);
    }
}

const processIds = (): number[] =>
    readdirSync("/proc")
        .filter((name) => /^\d+$/.test(name))
        .map(Number);

const networkOf = (pid: number): string => linkTarget(`/proc/${pid}/ns/net`);

function linkTarget(path: string): string {
    try {
        return readlinkSync(path);
    } catch {
        return "";
    }
}
