import type { Input } from "@pulumi/pulumi";

/** In which Kubernetes cluster, and where in it. Pulumi's resources have these; no manifest is made from them. */
export interface AccessArguments {
    /** Kubernetes namespace; it has to exist. @default the Kubernetes provider's namespace */
    namespace?: Input<string>;
    /** Kubeconfig (text, path or object) of the cluster that the Kubernetes provider uses. @default as that provider does: the
     * stack's `kubernetes:kubeconfig`, KUBECONFIG, ~/.kube/config; that one is not stored */
    kubeconfig?: Input<any>;
    /** Context in the kubeconfig. @default the stack's `kubernetes:context`, else the current one */
    context?: Input<string>;
}
