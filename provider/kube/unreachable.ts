import { connect, type Kube } from "./client";
import type { ClusterAccess } from "./clusterAccess";
import { hasCode, isTransient } from "./failure";

/**
 * True where the cluster doesn't answer and the user has said that its objects may then be taken for gone.
 * @see https://www.pulumi.com/registry/packages/kubernetes/api-docs/provider/
 */
export function isForgettable(error: unknown): boolean {
    return isTransient(error) && process.env.PULUMI_K8S_DELETE_UNREACHABLE === "true";
}

/**
 * Does something with the cluster as it is in the state; where those credentials are not accepted any more, with
 * today's, if they lead to the same cluster.
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

/** Today's credentials, if there are any and they lead to the same cluster. */
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
