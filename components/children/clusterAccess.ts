import * as pulumi from "@pulumi/pulumi";

import type { MiniClusterArgs } from "../args";
import { isLater } from "../arguments/outputs";
import { textOf } from "../features/access";
import type { MiniClusterSpec } from "../spec";
import type { LaterSpec } from "../arguments/laterSpec";

type AccessArgs = Pick<MiniClusterArgs, "context" | "kubeconfig">;

/**
 * Kubeconfig and context of the dynamic resources: from the arguments, else from the stack's configuration of the
 * Kubernetes provider, whose context is one of its own kubeconfig. Other sources of that provider (KUBECONFIG,
 * ~/.kube/config) are read at each call and never stored.
 */
export function clusterAccess(args: AccessArgs, resource?: pulumi.Resource): Access {
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

/** Kubeconfig and context as inputs of the dynamic resources. */
export interface Access {
    readonly kubeconfig?: pulumi.Output<string>;
    readonly context?: pulumi.Input<string>;
}

const ACCESSES = Symbol.for("flux-minicluster.accesses");

/** Those of all MiniClusters, also of another copy of the package: its FluxJobs must not go to another cluster. */
const accesses = ((globalThis as { [ACCESSES]?: WeakMap<object, Access> })[ACCESSES] ??= new WeakMap());

/** Only those of this copy: another one may be of another version. */
const specs = new WeakMap<object, LaterSpec>();

/** Remembers the access and the decisions of a MiniCluster for FluxJobs on it. */
export function rememberCluster(
    cluster: object,
    { access, spec }: { readonly access: Access; readonly spec: LaterSpec },
): void {
    accesses.set(cluster, access);
    specs.set(cluster, spec);
}

/** The access of a FluxJob: from its arguments, else that of its cluster if it is a MiniCluster of this program. */
export function jobAccess(args: AccessArgs, cluster: pulumi.Input<object> = {}): Access {
    if (args.kubeconfig !== undefined || args.context !== undefined) {
        return clusterAccess(args);
    }
    const accessOf = (of: object) => accesses.get(of) ?? clusterAccess(args);
    if (!isLater(cluster)) {
        return accessOf(cluster);
    }
    const later = pulumi.output(cluster) as pulumi.Output<object>;
    // One by one: together, the context would be as secret as the kubeconfig.
    return {
        kubeconfig: later.apply((of) => accessOf(of).kubeconfig as pulumi.Output<string>),
        context: later.apply((of) => accessOf(of).context as string),
    };
}

/** The decisions of a MiniCluster of this program. Undefined for other clusters. */
export function specOf(cluster: object = {}): pulumi.Output<MiniClusterSpec> | undefined {
    return specs.get(cluster)?.apply((of) => of);
}
