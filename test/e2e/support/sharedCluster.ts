import { spawnSync } from "node:child_process";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";

import { type Cluster, clusterUp, toolchain } from "../../../scripts/local";
import { root } from "../../../scripts/local/paths";
import { importImage } from "./image";

/** The cluster and the image that all tests share. */
export interface SharedCluster {
    readonly cluster: Cluster;
    /** Name of the image with Flux. */
    readonly image: string;
}

let shared: Promise<SharedCluster> | undefined;

/** Provides the compiled package, Pulumi, a cluster and its image, once per process. */
export function sharedCluster(): Promise<SharedCluster> {
    shared ??= make();
    return shared;
}

async function make(): Promise<SharedCluster> {
    buildPackage();
    const { env } = await toolchain();
    Object.assign(process.env, env);
    const cluster = await clusterUp();
    return { cluster, image: await importImage(cluster) };
}

/** Compiles the package if a source file is newer, because Pulumi runs the compiled package. */
function buildPackage(): void {
    const newest = Math.max(
        ...["cli", "components", "convert", "provider", "tsconfig.json"].map((name) => changedAt(join(root, name))),
    );
    if (changedAt(join(root, "dist", "index.js")) > newest) {
        return;
    }
    const { status } = spawnSync(process.execPath, ["scripts/build.mjs"], { cwd: root, stdio: "inherit" });
    if (status !== 0) {
        throw new Error("The package can't be compiled, so no test can run.");
    }
}

/** Time of the last change of a file, or of any file in a folder; 0 if it does not exist. */
function changedAt(path: string): number {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats === undefined || !stats.isDirectory()) {
        return stats?.mtimeMs ?? 0;
    }
    return Math.max(stats.mtimeMs, ...readdirSync(path).map((name) => changedAt(join(path, name))));
}
