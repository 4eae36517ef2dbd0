import { existsSync, readdirSync, readFileSync, readlinkSync, rmdirSync, rmSync } from "node:fs";
import { join } from "node:path";

import { send } from "../processes";
import { sleep, tryRun } from "../run";
import { cgroupMembers } from "./cgroups";
import { networkNamespace } from "./folders";
import { networkInode } from "./network";
import { runtimeStateDir } from "./servers/containerd";
import type { Site } from "./site";

/** Processes that are ours beyond doubt: in our network namespace or in our control groups. */
export function members(site: Site): number[] {
    const inode = networkInode(site);
    const inNetwork = inode === undefined ? [] : processIds().filter((pid) => networkOf(pid) === `net:[${inode}]`);
    return [...new Set([...inNetwork, ...cgroupMembers(site)])];
}

/** Kills until nobody is left; a process may be starting another one just now. */
export async function killMembers(site: Site): Promise<void> {
    const deadline = Date.now() + 20_000;
    for (let left = members(site); left.length > 0; left = members(site)) {
        if (Date.now() > deadline) {
            throw new Error(`These processes of the cluster cannot be ended: ${left.join(", ")}.`);
        }
        for (const pid of left) {
            send(pid, "SIGKILL");
        }
        await sleep(50);
    }
}

/** Everything mounted below the folders, innermost first; the network's own mount stays. */
export async function unmountBelow(folders: readonly string[], site: Site): Promise<void> {
    const ours = (): string[] =>
        mountPoints().filter(
            (point) => folders.some((folder) => point.startsWith(`${folder}/`)) && point !== networkNamespace(site),
        );
    // Shared mounts are in the list twice and go together, so failing is not the end.
    for (let passes = 0; passes < 10 && ours().length > 0; passes++) {
        for (const point of ours().reverse()) {
            if ((await tryRun("umount", [point])) === undefined) {
                await tryRun("umount", ["--lazy", point]);
            }
        }
    }
    if (ours().length > 0) {
        throw new Error(`These mounts of the cluster cannot be removed: ${ours().join(", ")}.`);
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

/** What containerd, CNI and the kubelet leave in folders whose paths cannot be chosen. */
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

/** What CNI remembers of each pod's network; the path of its namespace says whose it is. */
export function networkResults(site: Site): string[] {
    return filesIn("/var/lib/cni/results").filter((file) => readIfThere(file).includes(`"${site.runDir}/`));
}

/** Every shim writes down the address of its socket, which lies in containerd's one folder for them. */
export function shimSockets(site: Site): string[] {
    const tasks = join(runtimeStateDir(site), "io.containerd.runtime.v2.task");
    // Not recursively: a container's files lie below, and links in them lead back here.
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
