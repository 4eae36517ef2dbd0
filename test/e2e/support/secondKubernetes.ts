import { join } from "node:path";

import { toolsDir } from "../../../scripts/local/cluster/tools";
import { run } from "../../../scripts/local/run";
import { fluxImage } from "./image";
import type { SecondCluster } from "./secondCluster";
import { sharedCluster } from "./sharedCluster";

/** Starts a second Kubernetes with the same image as the shared one. */
export async function startKubernetes(kubernetes: SecondCluster, environment: NodeJS.ProcessEnv) {
    const { image } = await sharedCluster();
    await kubernetes.cli("up", environment);
    const archive = (await fluxImage()).tar ?? (await exported(image, kubernetes));
    await kubernetes.importImage(archive);
    return { cluster: { kubeconfig: join(kubernetes.state, "kubeconfig") }, image };
}

/** Exports an image that the shared cluster has pulled. Returns the path of the archive. */
async function exported(image: string, { state }: SecondCluster): Promise<string> {
    const archive = join(state, "image.tar");
    await run(join(toolsDir, "ctr"), ["images", "export", archive, image]);
    return archive;
}
