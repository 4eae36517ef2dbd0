import * as pulumi from "@pulumi/pulumi";

import type { MiniClusterArgs } from "../args";
import { textOf } from "../parts/kubeconfig";

type AccessArgs = Pick<MiniClusterArgs, "context" | "kubeconfig">;

/**
 * Kubeconfig and context of the dynamic resources: from the arguments, else from the stack's configuration of the
 * Kubernetes provider. Other sources of that provider (KUBECONFIG, ~/.kube/config) are read at each call and never
 * stored.
 */
export function clusterAccess(args: AccessArgs) {
    const config = new pulumi.Config("kubernetes");
    const kubeconfig = args.kubeconfig ?? config.get("kubeconfig");
    return {
        kubeconfig: kubeconfig === undefined ? undefined : pulumi.secret(kubeconfig).apply(textOf),
        context: args.context ?? config.get("context"),
    };
}

const accesses = new WeakMap<object, AccessArgs>();

/** Remembers the access of a MiniCluster for FluxJobs on it. */
export function rememberAccess(cluster: object, { context, kubeconfig }: AccessArgs): void {
    accesses.set(cluster, { context, kubeconfig });
}

/** The access of a MiniCluster of this program. Empty for other clusters. */
export function accessOf(cluster: object): AccessArgs {
    return accesses.get(cluster) ?? {};
}
