import { spawnSync } from "node:child_process";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";

import { type Cluster, clusterUp, toolchain } from "../../../local";
import { root } from "../../../local/paths";
import { importImage } from "./image";

/** What all tests share. */
export interface World {
    readonly cluster: Cluster;
    /** Image with Flux that the pods run. */
    readonly image: string;
}

let shared: Promise<World> | undefined;

/** The package as it is now, Pulumi, a cluster and an image in it: made once per run. */
export function world(): Promise<World> {
    shared ??= make();
    return shared;
}

async function make(): Promise<World> {
    buildPackage();
    const { env } = await toolchain();
    Object.assign(process.env, env);
    const cluster = await clusterUp();
    return { cluster, image: await importImage(cluster) };
}

/** Pulumi runs what is compiled; a test of yesterday's code would be worth nothing. */
function buildPackage(): void {
    const newest = Math.max(
        ...["cli", "components", "provider", "index.ts", "tsconfig.json"].map((name) => changedAt(join(root, name))),
    );
    if (changedAt(join(root, "dist", "index.js")) > newest) {
        return;
    }
    const { status } = spawnSync(process.execPath, ["scripts/build.mjs"], { cwd: root, stdio: "inherit" });
    if (status !== 0) {
        throw new Error("The package can't be compiled, so there is nothing to test.");
    }
}

/** When the file, or the last one in the folder, was changed; 0 where there is none. */
function changedAt(path: string): number {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats === undefined || !stats.isDirectory()) {
        return stats?.mtimeMs ?? 0;
    }
    return Math.max(stats.mtimeMs, ...readdirSync(path).map((name) => changedAt(join(path, name))));
}
