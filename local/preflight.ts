import { platform } from "node:os";

import { ensurePrograms } from "./packages";

const instead = "use a cluster of your own instead, for example kind on a laptop: CLUSTER=kind make demo";

/** Says in one sentence why the local cluster cannot run here; installs what it can. */
export async function preflight(): Promise<void> {
    if (platform() !== "linux") {
        throw new Error(`The local cluster runs plain Linux processes, and this is ${platform()}: ${instead}.`);
    }
    if (process.getuid?.() !== 0) {
        throw new Error(
            `The local cluster makes namespaces, mounts and cgroups, for which it must be root: run make as root, or ${instead}.`,
        );
    }
    await ensurePrograms();
}
