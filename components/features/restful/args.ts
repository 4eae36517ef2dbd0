import type { types } from "@pulumi/kubernetes";
import type { Input } from "@pulumi/pulumi";

/**
 * The Flux RESTful server, which the lead of a persistent cluster runs. If the image has flux-restful 1.1.0 or later,
 * that version runs. Otherwise the server is installed when the pod starts.
 * @see https://flux-framework.github.io/flux-restful-api
 */
export interface RestfulArgs {
    /**
     * Run the server. If false, there is only a broker, for `flux proxy` and shells.
     * @default true (in a persistent cluster)
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
    /** Require a user and a token. If false, every client that reaches the port may submit jobs. @default true */
    authentication?: Input<boolean>;
    /**
     * Name of the only user, who has all rights. The user's token is generated: see the outputs `restfulToken` and
     * `restfulSecretKey`.
     * @default `flux`
     */
    user?: Input<string>;
    /**
     * A value. When it changes, the token and the keys are renewed, and the cluster is restarted. `rotate` of the
     * cluster renews them too.
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
     * @script
     */
    requirements?: Input<string>;
    /**
     * Package index for pip, and for pip itself if the image lacks it. If the index needs a user, a token or a password,
     * give its URL as the secret PIP_INDEX_URL in `environment`.
     * @default pip's own; without pip in the image, that of its setuptools
     */
    indexUrl?: Input<string>;
    /**
     * Clients that `networkPolicy` admits to the server's port: a list of NetworkPolicy peers. One application: `[{
     * podSelector: { matchLabels: { app: "portal" } } }]`; every pod: `[{ namespaceSelector: {} }]`; for clients
     * outside of Kubernetes, an `ipBlock`.
     * @default the cluster's own pods only
     * @see https://kubernetes.io/docs/concepts/services-networking/network-policies/#behavior-of-to-and-from-selectors
     */
    clients?: Input<Input<types.input.networking.v1.NetworkPolicyPeer>[]>;
    /**
     * Name of a Secret of type kubernetes.io/tls in the same namespace. The server then speaks HTTPS. New connections get a
     * renewed certificate, for example of cert-manager, without a restart.
     * @default none: HTTP
     */
    tlsSecret?: Input<string>;
}
