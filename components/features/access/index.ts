import type { Input } from "@pulumi/pulumi";

/** The text or the path of a kubeconfig, or the kubeconfig as an object, which some providers give for a new cluster. */
export type Kubeconfig = any;

/** The Kubernetes cluster and the namespace. Pulumi's resources use them; no feature decides on them. */
export interface AccessArguments {
    /** Kubernetes namespace. It must exist. @default the Kubernetes provider's */
    namespace?: Input<string>;
    /**
     * Kubeconfig: its text, its path or an object. Give it if you pass a `kubernetes.Provider` of your own. It must
     * lead to the same cluster as that provider, which is checked. A kubeconfig from the environment is not stored.
     * KUBECONFIG may name several files, as for kubectl. The cluster's `proxy-url`, else HTTPS_PROXY and NO_PROXY,
     * decide about a proxy.
     * @default as the Kubernetes provider: the stack's `kubernetes:kubeconfig`, KUBECONFIG, ~/.kube/config
     * @secret
     */
    kubeconfig?: Input<Kubeconfig>;
    /**
     * Context in the kubeconfig. The current context is that of the first look: a change of it in the middle of an update
     * counts from the next command on.
     * @default without `kubeconfig` the stack's `kubernetes:context`, else the current one
     */
    context?: Input<string>;
}

/** The text of a kubeconfig, or its path. */
export function textOf(kubeconfig: string | object): string {
    return typeof kubeconfig === "string" ? kubeconfig : JSON.stringify(kubeconfig ?? undefined);
}
