import type { types } from "@pulumi/kubernetes";
import type { Input } from "@pulumi/pulumi";

/**
 * Metrics for Prometheus, from a small server on the lead. docs/metrics.md lists them. It needs Python 3.6 or later in the
 * image, and nothing else.
 * @see https://prometheus.io/docs/specs/om/open_metrics_spec/
 */
export interface MetricsArgs {
    /** Run the server. @default true */
    enabled?: boolean;
    /**
     * TCP port, in the pod and of the Service `NAME-lead`. With `hostNetwork` it is a port of the lead's node, which no
     * other program there may use.
     * @default 8052
     */
    port?: Input<number>;
    /**
     * Clients that `networkPolicy` admits to the port: a list of NetworkPolicy peers. Prometheus in the namespace
     * `monitoring`: `[{ namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "monitoring" } } }]`.
     * @default the cluster's own pods only
     * @see https://kubernetes.io/docs/concepts/services-networking/network-policies/#behavior-of-to-and-from-selectors
     */
    clients?: Input<Input<types.input.networking.v1.NetworkPolicyPeer>[]>;
    /**
     * Annotate the Service `NAME-lead` with `prometheus.io/scrape`, `port` and `path`, by which many configurations of
     * Prometheus find their targets.
     * @default true without `podMonitor`, else false
     */
    annotations?: Input<boolean>;
    /** A PodMonitor for the Prometheus Operator, whose definition (CRD) must be installed. @default none */
    podMonitor?: PodMonitorArgs;
}

/**
 * The PodMonitor of a cluster, which has the cluster's name.
 * @see https://prometheus-operator.dev/docs/api-reference/api/#monitoring.coreos.com/v1.PodMonitor
 */
export interface PodMonitorArgs {
    /**
     * Labels by which a Prometheus selects its PodMonitors, for example `{ release: "kube-prometheus-stack" }`.
     * @default none besides those of the cluster
     */
    labels?: Input<{ [name: string]: Input<string> }>;
    /** Time between two scrapes, such as `30s`. @default that of the Prometheus */
    interval?: Input<string>;
}
