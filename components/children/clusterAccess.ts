import * as pulumi from "@pulumi/pulumi";

import type { MiniClusterArgs } from "../args";

type AccessArgs = Pick<MiniClusterArgs, "context" | "kubeconfig">;

/**
 * Which cluster the dynamic resources use: the arguments, then the stack's configuration of the Kubernetes provider. What
 * else that provider would find (KUBECONFIG, ~/.kube/config) is found anew at each call and never stored.
 */
export function clusterAccess(args: AccessArgs) {
    const config = new pulumi.Config("kubernetes");
    const kubeconfig = args.kubeconfig ?? config.get("kubeconfig");
    return {
        kubeconfig: kubeconfig === undefined ? undefined : pulumi.secret(kubeconfig).apply(asText),
        context: args.context ?? config.get("context"),
    };
}

/** Some providers give the kubeconfig of a new cluster as an object; the Kubernetes provider takes both too. */
function asText(kubeconfig: string | object): string {
    return typeof kubeconfig === "string" ? kubeconfig : JSON.stringify(kubeconfig ?? undefined);
}

const accesses = new WeakMap<object, AccessArgs>();

/** Remembers with which access a cluster was made, for what is made in it. */
export function rememberAccess(cluster: object, { context, kubeconfig }: AccessArgs): void {
    accesses.set(cluster, { context, kubeconfig });
}

/** The access that a cluster of this program was made with. */
export function accessOf(cluster: object): AccessArgs {
    return accesses.get(cluster) ?? {};
}
