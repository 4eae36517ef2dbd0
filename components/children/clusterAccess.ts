import * as pulumi from "@pulumi/pulumi";

import type { MiniClusterArgs } from "../args";
import { textOf } from "../features/access/kubeconfig";
import type { MiniClusterSpec } from "../spec";

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

/** What a FluxJob needs to know of a MiniCluster of the same program. */
interface Known extends AccessArgs {
    readonly spec?: pulumi.Output<MiniClusterSpec>;
}

const clusters = new WeakMap<object, Known>();

/** Remembers the access and the decisions of a MiniCluster for FluxJobs on it. */
export function rememberCluster(cluster: object, { context, kubeconfig, spec }: Known): void {
    clusters.set(cluster, { context, kubeconfig, spec });
}

/** The access of a MiniCluster of this program. Empty for other clusters. */
export function accessOf(cluster: object): AccessArgs {
    const { context, kubeconfig } = clusters.get(cluster) ?? {};
    return { context, kubeconfig };
}

/** The decisions of a MiniCluster of this program. Undefined for other clusters. */
export function specOf(cluster: object): pulumi.Output<MiniClusterSpec> | undefined {
    return clusters.get(cluster)?.spec;
}
