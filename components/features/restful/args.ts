import type { Input } from "@pulumi/pulumi";

/**
 * The Flux RESTful server, which rank 0 runs where no command is given. An image that has flux-restful 1.1.0 or later
 * uses its own; otherwise it is installed when the pod starts.
 * @see https://flux-framework.github.io/flux-restful-api
 */
export interface RestfulArgs {
    /**
     * Run the server. If false, there is only a broker, for `flux proxy` and shells.
     * @default true without a command
     */
    enabled?: Input<boolean>;
    /**
     * TCP port, in the pod and of the Service `NAME-lead`. With `hostNetwork` it is a port of the lead's node, which no
     * other program there may use.
     * @default 5000, which is flux-restful's own
     */
    port?: Input<number>;
    /** Server processes. @default 1 */
    workers?: Input<number>;
    /** Ask for a user and a token. If false, everybody who reaches the port may submit jobs. @default true */
    authentication?: Input<boolean>;
    /**
     * Name of the one user, who may do everything. The user's token is made: see the outputs `restfulToken` and
     * `restfulSecretKey`.
     * @default `flux`
     */
    user?: Input<string>;
    /**
     * A value: when it changes, the token and the keys are new, and the cluster starts again. `rotate` of the cluster
     * changes them too.
     * @default none
     */
    rotate?: Input<string>;
    /**
     * Exactly this version of flux-restful, from the image or installed. A version other than 1.1.0 needs
     * `requirements`.
     * @default the image's, from 1.1.0 on, else 1.1.0
     */
    version?: Input<string>;
    /**
     * Text of a requirements file with hashes, which pip installs if the image lacks the server.
     * @default that of flux-restful 1.1.0, for CPython 3.10 to 3.14 on Linux, x86-64 and arm64
     */
    requirements?: Input<string>;
    /**
     * Package index for pip. If the index needs a password, give its URL as the secret PIP_INDEX_URL in `environment`.
     * @default pip's own
     */
    indexUrl?: Input<string>;
    /**
     * Clients that `networkPolicy` admits to the server's port: a list of NetworkPolicy peers. One application: `[{
     * podSelector: { matchLabels: { app: "portal" } } }]`; every pod: `[{ namespaceSelector: {} }]`; for clients
     * outside of Kubernetes, an `ipBlock`.
     * @default the cluster's own pods only
     * @see https://kubernetes.io/docs/concepts/services-networking/network-policies/#behavior-of-to-and-from-selectors
     */
    clients?: Input<Input<{ [name: string]: any }>[]>;
    /**
     * Name of a Secret of type kubernetes.io/tls in the same namespace. The server then speaks HTTPS.
     * @default none: HTTP
     */
    tlsSecret?: Input<string>;
}
