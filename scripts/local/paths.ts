import { createHash } from "node:crypto";
import { homedir } from "node:os";
import { join, resolve } from "node:path";

/** The root of this clone. */
export const root = resolve(__dirname, "../..");

/**
 * All files that this clone creates at run time; git-ignored. With another folder, tests of up and down get
 * another cluster beside the clone's own.
 */
export const stateDir = resolve(process.env["FLUX_MINICLUSTER_STATE"] || join(__dirname, "state"));

/** Files of the cluster only; `cluster-down` removes them. */
export const clusterDir = join(stateDir, "cluster");

/** Logs outlive the cluster, so that a failed test can be examined. */
export const logDir = join(stateDir, "logs");

export const goDir = join(__dirname, "go");

/** All clones of this user share this folder: no file in it depends on a clone. */
export const cacheDir = join(process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "flux-minicluster");

/** Node's compiled code. Each command of Pulumi starts a host for dynamic resources, which loads 1,500 files. */
export const compileCacheDir = join(stateDir, "node-compile-cache");

/** The folder of the Node 24 that npm installs, independent of the machine's Node. */
export const nodeBinDir = join(root, "node_modules", ".bin");

export function shortHash(...parts: (string | Buffer)[]): string {
    const hash = createHash("sha256");
    for (const part of parts) {
        hash.update(part).update("\0");
    }
    return hash.digest("hex").slice(0, 16);
}

/** What Pulumi.yaml names for the built provider plugin (docs/languages.md). */
export const plugin = { name: "flux-minicluster", path: join(root, "dist/plugin/bin") };
