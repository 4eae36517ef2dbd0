import { join } from "node:path";

import { runVisibly } from "../local/child";
import { nodeBinDir, root } from "../local/paths";

/** Pulumi and the tests load the package as a user gets it: compiled. */
export async function compile(): Promise<void> {
    if (!(await runVisibly(join(nodeBinDir, "node"), [join(root, "scripts", "build.mjs")]))) {
        throw new Error("The package cannot be compiled.");
    }
}
