import type { ClusterAccess } from "../kubernetes/kubeconfig/clusterAccess";
import { isUnknown } from "../host/unknown";

/** What `pulumi preview --json` prints in place of a secret. */
const SECRET = "[secret]";

/**
 * The credentials that the user gives, else those of a resource, as far as they are known and no secret, and else those
 * of the environment.
 */
export function accessOf(given: ClusterAccess, { context, kubeconfig }: ClusterAccess = {}): ClusterAccess {
    return {
        kubeconfig: given.kubeconfig ?? plain(kubeconfig),
        context: given.context ?? plain(context),
    };
}

function plain(text: string | undefined): string | undefined {
    return text === SECRET || isUnknown(text) ? undefined : text;
}
