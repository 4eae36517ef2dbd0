import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";

import { run, tryRun } from "../run";
import { networkNamespace, type Context } from "./folders";
import type { Site } from "./site";

/**
 * The node lives in a network namespace of its own: its addresses, routes,
 * packet filter and sysctls are apart from the machine's, and go when it goes.
 * A pair of links joins the two.
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
    // So that a person on this machine reaches pods and Services too.
    for (const range of [addresses.podRange, addresses.serviceRange]) {
        await run("ip", ["route", "add", range, "via", addresses.node, "dev", outer]);
    }
}

/** After a reboot the file is there, but no namespace behind it. */
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

/** Identifies the namespace as /proc/PID/ns/net does, or undefined. */
export function networkInode(site: Site): number | undefined {
    return networkExists(site) ? statSync(networkNamespace(site)).ino : undefined;
}

/** A command line, started inside the node's network. */
export function insideNetwork(site: Site): (command: string, ...args: string[]) => [string, string[]] {
    return (command, ...args) => ["nsenter", [`--net=${networkNamespace(site)}`, "--", command, ...args]];
}

/** The machine's end of the pair; the node's is called as a node's usually is. */
const linkName = (site: Site): string => `fmc${site.index}`;
const inner = "eth0";

/** Otherwise an IPv6 address may not be used for its first second. */
const noDad = ({ options }: Context): string[] => (options.ipFamily === "ipv6" ? ["nodad"] : []);
