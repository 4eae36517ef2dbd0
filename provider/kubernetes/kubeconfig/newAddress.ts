import { connect, type Kube } from "../client";
import type { ClusterAccess } from "./clusterAccess";

/**
 * Lets a client whose API server doesn't answer go on at the address that its kubeconfig has by now, if that leads to the
 * same cluster: a tunnel or a VPN that starts again may have another port. Never fails.
 */
export async function followAddress(
    kube: Kube,
    access: ClusterAccess,
    isSame: (kube: Kube) => Promise<boolean>,
): Promise<void> {
    try {
        const next = connect(access, kube.patience);
        if (next.config !== kube.config && (await isSame(next.briefly()))) {
            kube.become(next);
        }
    } catch {
        // It doesn't answer there either, or the kubeconfig can't be used for the moment.
    }
}
