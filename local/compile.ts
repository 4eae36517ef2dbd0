import { join } from "node:path";

import { runVisibly } from "./child";
import { compileCacheDir, nodeBinDir, root } from "./paths";

/** What a host for dynamic resources loads. */
const HOSTED = ["@pulumi/pulumi/cmd/dynamic-provider", "./dist/provider", "./dist/provider/kube/clientNode"];

/** Pulumi and the tests load the package as a user gets it: compiled. */
export async function compile(): Promise<void> {
    if (!(await runVisibly(node, [join(root, "local", "build.mjs")]))) {
        throw new Error("The package cannot be compiled.");
    }
    await fillCompileCache();
}

const node = join(nodeBinDir, "node");

/** A process leaves what it has compiled when it ends by itself, and the engine kills its hosts. */
async function fillCompileCache(): Promise<void> {
    const load = HOSTED.map((module) => `require(${JSON.stringify(module)});`).join("");
    await runVisibly(node, ["-e", `process.argv[2] = "127.0.0.1:1"; ${load} process.exit()`], { NODE_COMPILE_CACHE: compileCacheDir });
}
