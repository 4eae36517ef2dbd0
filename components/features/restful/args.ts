import type { Input } from "@pulumi/pulumi";

/**
 * The Flux RESTful server, which rank 0 runs where no command is given. An image that has flux-restful 1.1.0 or later
 * uses its own; otherwise it is installed when the pod starts.
 * @see https://flux-framework.github.io/flux-restful-api
 */
export interface RestfulArgs {
    /** Run it; without it there is a bare broker, for `flux proxy` and shells. @default true without a command */
    enabled?: Input<boolean>;
    /** TCP port, in the pod and of the lead Service. @default 5000, which is flux-restful's own */
    port?: Input<number>;
    /** Server processes. @default 1 */
    workers?: Input<number>;
    /** Ask for a user and a token; without it everybody who reaches the port may submit jobs. @default true */
    authentication?: Input<boolean>;
    /** Name of the one user, who may do everything. Its token is made. @default "flux" */
    user?: Input<string>;
    /** A value; when it changes, token and keys are new and the cluster starts anew. */
    rotate?: Input<string>;
    /** Version of flux-restful. Another than 1.1.0 needs `requirements`. @default what the image has, from 1.1.0 on */
    version?: Input<string>;
    /** What pip installs where the image lacks the server: a requirements file with hashes. @default that of 1.1.0 */
    requirements?: Input<string>;
    /** Package index for that. One that needs a password: PIP_INDEX_URL as a secret in `environment`. @default pip's */
    indexUrl?: Input<string>;
    /**
     * Clients that `networkPolicy` admits to the port, as peers of a Kubernetes NetworkPolicy; `[{ namespaceSelector: {} }]`
     * is every pod. @see https://kubernetes.io/docs/concepts/services-networking/network-policies/#behavior-of-to-and-from-selectors
     * @default none but the cluster's own pods
     */
    clients?: Input<Input<{ [name: string]: any }>[]>;
    /** Name of a Secret of type kubernetes.io/tls in the same namespace: the server then speaks HTTPS. @default none */
    tlsSecret?: Input<string>;
}
