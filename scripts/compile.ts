import { join } from "node:path";

import { runVisibly } from "./local/child";
import { nodeBinDir, root } from "./local/paths";

/** Compiles the package. Pulumi and the tests load the compiled package, as users do. */
export async function compile(): Promise<void> {
    if (!(await runVisibly(join(nodeBinDir, "node"), [join(root, "scripts", "build.mjs")]))) {
        throw new Error("The package cannot be compiled.");
    }
}
