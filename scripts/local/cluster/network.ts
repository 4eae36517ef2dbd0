import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";

import { run, tryRun } from "../run";
import { networkNamespace, type Context } from "./folders";
import type { Site } from "./site";

/**
 * Creates the network namespace of the control plane. Its addresses, routes, packet filter and sysctls are separate from the
 * machine's, and are removed with it. A pair of links connects the two.
 */
export async function makeNetwork(context: Context): Promise<void> {
    const { site, addresses } = context;
    if (networkExists(networkNamespace(site))) {
        return;
    }
    const file = networkNamespace(site);
    await makeNamespace(file);

    const outer = linkToCluster(site);
    const prefix = addresses.linkPrefix;
    const inside = insideNetwork(file);
    await run(
        ...inside("ip", "link", "add", inner, "type", "veth", "peer", "name", outer, "netns", String(process.pid)),
    );
    await run("ip", ["address", "add", `${addresses.machine}/${prefix}`, "dev", outer, ...noDad(context)]);
    await run("ip", ["link", "set", outer, "up"]);
    await run(...inside("ip", "link", "set", "lo", "up"));
    await run(
        ...inside("ip", "address", "add", `${addresses.controlPlane}/${prefix}`, "dev", inner, ...noDad(context)),
    );
    await run(...inside("ip", "link", "set", inner, "up"));
    // With these routes, users of this machine can reach pods and Services.
    for (const range of [addresses.podRange, addresses.serviceRange]) {
        await run("ip", ["route", "add", range, "via", addresses.controlPlane, "dev", outer]);
    }
}

/** Creates a network namespace, which a file keeps alive. */
export async function makeNamespace(file: string): Promise<void> {
    writeFileSync(file, "");
    await run("unshare", [`--net=${file}`, "true"]);
}

/** True if the namespace exists. After a reboot, only its file exists. */
export function networkExists(file: string): boolean {
    return existsSync(file) && readFileSync("/proc/self/mounts", "utf8").includes(` ${file} nsfs `);
}

/** Removes the machine's link to the cluster. */
export async function removeLink(site: Site): Promise<void> {
    await tryRun("ip", ["link", "delete", linkToCluster(site)]);
}

export async function removeNamespace(file: string): Promise<void> {
    if (networkExists(file)) {
        await run("umount", [file]);
    }
    rmSync(file, { force: true });
}

/** The namespace's number, as in /proc/PID/ns/net; undefined if it doesn't exist. */
export function networkInode(file: string): number | undefined {
    return networkExists(file) ? statSync(file).ino : undefined;
}

/** Wraps a command line so that it runs in a network namespace. */
export function insideNetwork(file: string): (command: string, ...args: string[]) => [string, string[]] {
    return (command, ...args) => ["nsenter", [`--net=${file}`, "--", command, ...args]];
}

/** Name of the machine's end of the pair. The other end has the usual name. */
export const linkToCluster = (site: Site): string => `fmc${site.index}`;
export const inner = "eth0";

/** Without this option, an IPv6 address can't be used in its first second. */
export const noDad = ({ options }: Context): string[] => (options.ipFamily === "ipv6" ? ["nodad"] : []);
