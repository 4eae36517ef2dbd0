import { join } from "node:path";

import { SecondCluster } from "../../e2e/support/secondCluster";
import { startKubernetes } from "../../e2e/support/secondKubernetes";
import { sharedCluster } from "../../e2e/support/sharedCluster";

/** A Kubernetes with an option of the local cluster: the shared one if the option's variable is on, else a second one. */
export function kubernetesWith(option: "KUEUE" | "PODGROUPS") {
    const second = new SecondCluster();
    let isUsed = false;
    let kubeconfig = "";
    return {
        /** For the last hook: the hooks before it talk to the cluster. */
        remove: async () => (isUsed ? second.remove() : undefined),
        world: async () => {
            const shared = process.env[option] === "on" ? await sharedCluster() : undefined;
            isUsed = shared === undefined;
            const world = shared ?? (await startKubernetes(second, { [option]: "on" }));
            ({ kubeconfig } = world.cluster);
            return world;
        },
        auditLog: () => join(kubeconfig, "..", "logs", "audit.log"),
    };
}
