import { join } from "node:path";

import { runVisibly } from "../local/child";
import { compileCacheDir, nodeBinDir } from "../local/paths";

/** Modules that a host for dynamic resources loads. */
const HOSTED = ["@pulumi/pulumi/cmd/dynamic-provider", "./dist/provider", "./dist/provider/kubernetes/clientNode"];

/** With this variable, Node keeps the compiled code of the modules that a process loads. */
export const COMPILE_CACHE = { NODE_COMPILE_CACHE: compileCacheDir };

/** Fills the cache. A process writes it only if it ends by itself, but the engine kills its hosts. */
export async function fillCompileCache(): Promise<void> {
    const load = HOSTED.map((module) => `require(${JSON.stringify(module)});`).join("");
    await runVisibly(
        join(nodeBinDir, "node"),
        ["-e", `process.argv[2] = "127.0.0.1:1"; ${load} process.exit()`],
        COMPILE_CACHE,
    );
}
