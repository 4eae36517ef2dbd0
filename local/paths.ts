import { createHash } from "node:crypto";
import { homedir } from "node:os";
import { join, resolve } from "node:path";

/** The clone this file lies in. */
export const root = resolve(__dirname, "..");

/**
 * Everything this clone makes at run time; git-ignored. Another folder is
 * another cluster, beside the clone's own: tests of up and down use that.
 */
export const stateDir = resolve(process.env["FLUX_MINICLUSTER_STATE"] || join(root, "local", "state"));

/** What only the cluster needs; `cluster-down` removes it. */
export const clusterDir = join(stateDir, "cluster");

/** Logs outlive the cluster, so that a failed test can still be understood. */
export const logDir = join(stateDir, "logs");

export const goDir = join(root, "local", "go");

/** Shared by all clones of this user: nothing in here depends on a clone. */
export const cacheDir = join(process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "flux-minicluster");

/** What Node has compiled: each command of Pulumi starts a host for dynamic resources, which loads 1,500 files. */
export const compileCacheDir = join(stateDir, "node-compile-cache");

/** npm's Node 24, whichever Node the machine has. */
export const nodeBinDir = join(root, "node_modules", ".bin");

export function shortHash(...parts: (string | Buffer)[]): string {
    const hash = createHash("sha256");
    for (const part of parts) {
        hash.update(part).update("\0");
    }
    return hash.digest("hex").slice(0, 16);
}
