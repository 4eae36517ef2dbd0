import { existsSync, readdirSync, readFileSync, readlinkSync, rmdirSync, rmSync } from "node:fs";
import { join } from "node:path";

import { send } from "../processes";
import { sleep, tryRun } from "../run";
import { cgroupMembers } from "./cgroups";
import { networkNamespace } from "./folders";
import { networkInode } from "./network";
import { runtimeStateDir } from "./servers/containerd";
import type { Site } from "./site";

/** Processes that certainly belong to a site: those in its network namespace or in its control groups. */
export function members(site: Site): number[] {
    const inode = networkInode(site);
    const inNetwork = inode === undefined ? [] : processIds().filter((pid) => networkOf(pid) === `net:[${inode}]`);
    return [...new Set([...inNetwork, ...cgroupMembers(site)])];
}

/** Kills a site's processes until none is left. It repeats, because a process may start another one meanwhile. */
export async function killMembers(site: Site): Promise<void> {
    const deadline = Date.now() + 20_000;
    for (let left = members(site); left.length > 0; left = members(site)) {
        if (Date.now() > deadline) {
            throw new Error(`These processes of the cluster can't be ended: ${left.join(", ")}. End them by hand.`);
        }
        for (const pid of left) {
            send(pid, "SIGKILL");
        }
        await sleep(50);
    }
}

/** Unmounts everything below the folders, the innermost first, except the network's own mount. */
export async function unmountBelow(folders: readonly string[], site: Site): Promise<void> {
    const ours = (): string[] =>
        mountPoints().filter(
            (point) => folders.some((folder) => point.startsWith(`${folder}/`)) && point !== networkNamespace(site),
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
export function removeTraces(site: Site, clusterDir: string): void {
    for (const shimSocket of shimSockets(site)) {
        rmSync(shimSocket, { force: true });
    }
    for (const result of networkResults(site)) {
        rmSync(result, { force: true });
    }
    removeWhere("/var/log/containers", (path) => linkTarget(path).startsWith(`${clusterDir}/`));
    for (const folder of [
        "/var/lib/cni/results",
        "/var/lib/cni",
        "/var/log/containers",
        "/run/containerd/s",
        "/run/containerd",
    ]) {
        removeIfEmpty(folder);
    }
}

/** CNI's files about each pod's network. They contain the path of the namespace, which names the site. */
export function networkResults(site: Site): string[] {
    return filesIn("/var/lib/cni/results").filter((file) => readIfThere(file).includes(`"${site.runDir}/`));
}

/** The sockets of containerd's shims. Every shim writes the address of its socket to a file. */
export function shimSockets(site: Site): string[] {
    const tasks = join(runtimeStateDir(site), "io.containerd.runtime.v2.task");
    // Not recursively: the subfolders have the container's files, whose links may lead back here.
    const bundles = filesIn(tasks).flatMap(filesIn);
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
