import { rmSync } from "node:fs";

import { isAlive, send } from "../processes";
import { removeLink } from "./network";
import { readRecord } from "./record";
import { findSite, orphanedSites, releaseSite, type Site } from "./site";
import { possessionsOf, sweep } from "./sweep";
import { adminKubeconfig } from "./folders";
import { clusterDir } from "../paths";

/** Removes this clone's cluster and all its files and processes, in any state of the cluster. */
export async function removeCluster(): Promise<void> {
    // No grace period is needed, because no data of the cluster is kept.
    for (const process of readRecord()?.processes ?? []) {
        if (isAlive(process)) {
            send(process.pid, "SIGKILL");
        }
    }
    const site = findSite();
    if (site !== undefined) {
        await clearSite(site);
    }
    rmSync(clusterDir, { recursive: true, force: true });
    rmSync(adminKubeconfig, { force: true });
}

/** Removes clusters whose clones were deleted without `make cluster-down`. */
export async function removeOrphans(): Promise<void> {
    for (const site of orphanedSites()) {
        console.error(`Removing the cluster of the deleted clone ${site.owner}.`);
        await clearSite(site);
    }
}

async function clearSite(site: Site): Promise<void> {
    await removeLink(site);
    await sweep(possessionsOf(site));
    releaseSite(site);
}
