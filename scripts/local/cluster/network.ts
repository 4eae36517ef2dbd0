import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";

import { run, tryRun } from "../run";
import { networkNamespace, type Context } from "./folders";
import type { Site } from "./site";

/**
 * Creates the node's network namespace. Its addresses, routes, packet filter and sysctls are separate from the
 * machine's, and are removed with it. A pair of links connects the two.
 */
export async function makeNetwork(context: Context): Promise<void> {
    const { site, addresses } = context;
    if (networkExists(site)) {
        return;
    }
    const file = networkNamespace(site);
    writeFileSync(file, "");
    await run("unshare", [`--net=${file}`, "true"]);

    const outer = linkName(site);
    const prefix = addresses.linkPrefix;
    const inside = insideNetwork(site);
    await run(
        ...inside("ip", "link", "add", inner, "type", "veth", "peer", "name", outer, "netns", String(process.pid)),
    );
    await run("ip", ["address", "add", `${addresses.machine}/${prefix}`, "dev", outer, ...noDad(context)]);
    await run("ip", ["link", "set", outer, "up"]);
    await run(...inside("ip", "link", "set", "lo", "up"));
    await run(...inside("ip", "address", "add", `${addresses.node}/${prefix}`, "dev", inner, ...noDad(context)));
    await run(...inside("ip", "link", "set", inner, "up"));
    // With these routes, users of this machine can reach pods and Services.
    for (const range of [addresses.podRange, addresses.serviceRange]) {
        await run("ip", ["route", "add", range, "via", addresses.node, "dev", outer]);
    }
}

/** True if the namespace exists. After a reboot, only its file exists. */
export function networkExists(site: Site): boolean {
    return (
        existsSync(networkNamespace(site)) &&
        readFileSync("/proc/self/mounts", "utf8").includes(` ${networkNamespace(site)} nsfs `)
    );
}

export async function removeNetwork(site: Site): Promise<void> {
    await tryRun("ip", ["link", "delete", linkName(site)]);
    if (networkExists(site)) {
        await run("umount", [networkNamespace(site)]);
    }
    rmSync(networkNamespace(site), { force: true });
}

/** The namespace's number, as in /proc/PID/ns/net; undefined if it doesn't exist. */
export function networkInode(site: Site): number | undefined {
    return networkExists(site) ? statSync(networkNamespace(site)).ino : undefined;
}

/** Wraps a command line so that it runs in the node's network. */
export function insideNetwork(site: Site): (command: string, ...args: string[]) => [string, string[]] {
    return (command, ...args) => ["nsenter", [`--net=${networkNamespace(site)}`, "--", command, ...args]];
}

/** Name of the machine's end of the pair. The node's end has the usual name. */
const linkName = (site: Site): string => `fmc${site.index}`;
const inner = "eth0";

/** Without this option, an IPv6 address can't be used in its first second. */
const noDad = ({ options }: Context): string[] => (options.ipFamily === "ipv6" ? ["nodad"] : []);
