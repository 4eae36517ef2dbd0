import * as pulumi from "@pulumi/pulumi";

import type { MiniClusterArgs } from "../args";
import { textOf } from "../features/access";
import type { MiniClusterSpec } from "../spec";
import type { LaterSpec } from "./laterSpec";

type AccessArgs = Pick<MiniClusterArgs, "context" | "kubeconfig">;

/**
 * Kubeconfig and context of the dynamic resources: from the arguments, else from the stack's configuration of the
 * Kubernetes provider, whose context is one of its own kubeconfig. Other sources of that provider (KUBECONFIG,
 * ~/.kube/config) are read at each call and never stored.
 */
export function clusterAccess(args: AccessArgs, resource?: pulumi.Resource) {
    const config = new pulumi.Config("kubernetes");
    // An explicit provider doesn't have the options of the stack.
    if (args.kubeconfig === undefined && resource?.getProvider("kubernetes:core/v1:Service") === undefined) {
        refuseOptions(config);
    }
    const kubeconfig = args.kubeconfig ?? config.get("kubeconfig");
    return {
        kubeconfig: kubeconfig === undefined ? undefined : pulumi.secret(kubeconfig).apply(textOf),
        context: args.context ?? (args.kubeconfig === undefined ? config.get("context") : undefined),
    };
}

/** Options of the Kubernetes provider with which its objects would not be where those of this package are. */
const REFUSED = {
    cluster:
        "but flux-minicluster takes the cluster of a context. Make a context with this cluster (kubectl config set-context), " +
        "set kubernetes:context to it, and remove kubernetes:cluster; or give the MiniCluster an explicit provider.",
    renderYamlToDirectory:
        "so the Kubernetes provider only writes files, but a MiniCluster needs objects of a cluster. Remove it, or " +
        "give the MiniCluster an explicit provider.",
} as const;

function refuseOptions(config: pulumi.Config): void {
    for (const [name, reason] of Object.entries(REFUSED)) {
        const value = config.get(name);
        if (value) {
            throw new Error(`kubernetes:${name} is "${value}", ${reason}`);
        }
    }
}

export type Access = ReturnType<typeof clusterAccess>;

/** What a FluxJob needs to know of a MiniCluster of the same program. */
interface Known {
    readonly access: Access;
    readonly spec: LaterSpec;
}

const clusters = new WeakMap<object, Known>();

/** Remembers the access and the decisions of a MiniCluster for FluxJobs on it. */
export function rememberCluster(cluster: object, { access, spec }: Known): void {
    clusters.set(cluster, { access, spec });
}

/** The access of a FluxJob: from its arguments, else that of its cluster if it is a MiniCluster of this program. */
export function jobAccess(args: AccessArgs, cluster: object = {}): Access {
    const isGiven = args.kubeconfig !== undefined || args.context !== undefined;
    return (isGiven ? undefined : clusters.get(cluster)?.access) ?? clusterAccess(args);
}

/** The decisions of a MiniCluster of this program. Undefined for other clusters. */
export function specOf(cluster: object = {}): pulumi.Output<MiniClusterSpec> | undefined {
    return clusters.get(cluster)?.spec.apply((of) => of);
}
