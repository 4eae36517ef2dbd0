import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { stateDir } from "../paths";
import type { ClusterOptions } from "./options";
import { restoreSysctls, saveSysctls } from "./sysctls";

/**
 * The place of one clone's cluster on this machine. Each clone has a number, from which its addresses are computed. Its
 * folder has a path that is short enough for sockets (107 bytes), for any path of the clone.
 */
export interface Site {
    readonly index: number;
    /** The clone's folder scripts/local/state. */
    readonly owner: string;
    readonly runDir: string;
}

const sitesDir = "/run/flux-minicluster";
const sysctlsFile = join(sitesDir, "sysctls.json");
const maxSites = 100;

/** The site of a clone, if it has one. */
export function findSite(owner: string = stateDir): Site | undefined {
    return allSites().find((site) => site.owner === owner);
}

/** Claims the first free number. mkdir makes the claim exclusive. */
export function claimSite(owner: string = stateDir): Site {
    const known = findSite(owner);
    if (known !== undefined) {
        return known;
    }
    mkdirSync(sitesDir, { recursive: true });
    for (let index = 0; index < maxSites; index++) {
        const site = { index, owner, runDir: join(sitesDir, String(index)) };
        if (tryMkdir(site.runDir)) {
            writeFileSync(join(site.runDir, "owner"), owner);
            saveSysctls(sysctlsFile);
            return site;
        }
    }
    throw new Error(
        `All ${maxSites} numbers for local clusters are in use. ${sitesDir}/*/owner names the clones: run ` +
            "make cluster-down in one of them.",
    );
}

export function releaseSite(site: Site): void {
    rmSync(site.runDir, { recursive: true, force: true });
    if (allSites().length > 0) {
        return;
    }
    restoreSysctls(sysctlsFile);
    rmSync(sitesDir, { recursive: true, force: true });
}

/** Sites whose clone was deleted without `make cluster-down`. */
export function orphanedSites(): Site[] {
    return allSites().filter((site) => !existsSync(site.owner));
}

function allSites(): Site[] {
    if (!existsSync(sitesDir)) {
        return [];
    }
    return readdirSync(sitesDir).flatMap((name) => {
        const runDir = join(sitesDir, name);
        const claim = join(runDir, "owner");
        if (!existsSync(claim)) {
            return [];
        }
        return [{ index: Number(name), owner: readFileSync(claim, "utf8"), runDir }];
    });
}

function tryMkdir(path: string): boolean {
    try {
        mkdirSync(path, { mode: 0o700 });
        return true;
    } catch (error) {
        if ((error as NodeJS.ErrnoException).code === "EEXIST") {
            return false;
        }
        throw error;
    }
}

/** All addresses of a cluster, computed from its number. */
export interface Addresses {
    /** Address on which the servers of the control plane listen, and those of the only node. */
    readonly controlPlane: string;
    /** Address of the machine's end of the link to the control plane. */
    readonly machine: string;
    readonly linkPrefix: number;
    /** The addresses of nodes with their own network. */
    readonly nodeRange: string;
    readonly podRange: string;
    readonly serviceRange: string;
    /** The ClusterIP of the Service `kubernetes`. */
    readonly apiService: string;
}

export function addresses(index: number, family: Required<ClusterOptions>["ipFamily"]): Addresses {
    if (family === "ipv4") {
        return {
            controlPlane: `10.245.${index}.1`,
            machine: `10.245.${index}.2`,
            linkPrefix: 30,
            nodeRange: `10.245.${index}.16/28`,
            podRange: `10.246.${index}.0/24`,
            serviceRange: `10.247.${index}.0/24`,
            apiService: `10.247.${index}.1`,
        };
    }
    const prefix = ipv6Prefix(index);
    return {
        controlPlane: `${prefix}:1::1`,
        machine: `${prefix}:1::2`,
        linkPrefix: 64,
        nodeRange: `${prefix}:1::10/124`,
        podRange: `${prefix}:2::/64`,
        serviceRange: `${prefix}:3::/112`,
        apiService: `${prefix}:3::1`,
    };
}

/** The address of a node with its own network, and the range of its pods, which is a part of the cluster's. */
export function nodeAddresses(
    index: number,
    family: Required<ClusterOptions>["ipFamily"],
    node: number,
): { readonly address: string; readonly podRange: string } {
    const place = 16 + node;
    return family === "ipv4"
        ? { address: `10.245.${index}.${place}`, podRange: `10.246.${index}.${32 * node}/27` }
        : {
              address: `${ipv6Prefix(index)}:1::${place.toString(16)}`,
              podRange: `${ipv6Prefix(index)}:2:${node}::/80`,
          };
}

const ipv6Prefix = (index: number): string => `fd45:245:${index.toString(16)}`;

/** An address in the form for a URL. */
export const urlHost = (address: string): string => (address.includes(":") ? `[${address}]` : address);
