import * as pulumi from "@pulumi/pulumi";

import type { MiniClusterArgs } from "./args";

/**
 * Which cluster the dynamic resources use: the arguments, then the stack's configuration of the Kubernetes provider. What
 * else that provider would find (KUBECONFIG, ~/.kube/config) is found anew at each call and never stored.
 */
export function clusterAccess(args: MiniClusterArgs) {
    const config = new pulumi.Config("kubernetes");
    const kubeconfig = args.kubeconfig ?? config.get("kubeconfig");
    return {
        kubeconfig: kubeconfig === undefined ? undefined : pulumi.secret(kubeconfig),
        context: args.context ?? config.get("context"),
    };
}
