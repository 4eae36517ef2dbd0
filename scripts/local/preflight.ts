import { platform } from "node:os";

import type { DecidedOptions } from "./cluster/options";
import { ensurePrograms, policyPrograms } from "./packages";

const instead = "use a cluster of your own instead, for example kind on a laptop: CLUSTER=kind make demo";

/** Fails if the local cluster can't run on this machine, with the reason. Installs missing programs. */
export async function preflight(options?: Pick<DecidedOptions, "policy">): Promise<void> {
    if (platform() !== "linux") {
        throw new Error(`The local cluster runs plain Linux processes, and this system is ${platform()}: ${instead}.`);
    }
    if (process.getuid?.() !== 0) {
        throw new Error(
            `Only root may create the local cluster's namespaces, mounts and cgroups: run make as root, or ${instead}.`,
        );
    }
    await ensurePrograms();
    if (options?.policy === "on") {
        await ensurePrograms(policyPrograms);
    }
}
