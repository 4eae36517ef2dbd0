import { connect, type Kube } from "./client";
import type { ClusterAccess } from "./clusterAccess";
import { hasCode, isTransient } from "./failure";

/**
 * True if the cluster doesn't answer and the user has allowed Pulumi to drop such a cluster's objects from the state.
 * @see https://www.pulumi.com/registry/packages/kubernetes/api-docs/provider/
 */
export function isForgettable(error: unknown): boolean {
    return isTransient(error) && process.env.PULUMI_K8S_DELETE_UNREACHABLE === "true";
}

/**
 * Runs `call` with the credentials of the state. If the cluster refuses them, repeats it with the current credentials,
 * provided that they lead to the same cluster.
 */
export async function withAccess<T>(
    access: ClusterAccess,
    isSame: (kube: Kube) => Promise<boolean>,
    call: (kube: Kube) => Promise<T>,
): Promise<T> {
    try {
        return await call(connect(access));
    } catch (error) {
        const current = isRefusal(error) && access.kubeconfig !== undefined ? await currentAccess(isSame) : undefined;
        if (current === undefined) {
            throw error;
        }
        return call(current);
    }
}

/** A client with the current credentials; undefined if there are none or they lead to another cluster. */
async function currentAccess(isSame: (kube: Kube) => Promise<boolean>): Promise<Kube | undefined> {
    try {
        const current = connect({});
        return (await isSame(current)) ? current : undefined;
    } catch {
        return undefined;
    }
}

function isRefusal(error: unknown): boolean {
    return hasCode(error, 401) || hasCode((error as Error).cause, 401);
}
