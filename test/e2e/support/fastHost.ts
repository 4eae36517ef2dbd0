import { join } from "node:path";

import { root } from "../../../local/paths";

/** Settings of a project for the host that runs its dynamic resources: Pulumi's own one, or with FAST_HOST=on ours. */
export function hostSettings(): { plugins?: object } {
    if (process.env.FAST_HOST !== "on") {
        return {};
    }
    const path = join(root, "dist/provider/host/plugin");
    return { plugins: { providers: [{ name: "pulumi-nodejs", path }] } };
}
