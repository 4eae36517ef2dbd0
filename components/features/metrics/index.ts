import type { Unwrap } from "@pulumi/pulumi";

import type { KubernetesObject } from "../../../provider/contract/object";
import { lazily } from "../../parts/lazily";
import { scriptsIn } from "../../parts/scripts";
import type { MiniClusterSpec, Texts } from "../../spec";
import { type Feature, when } from "../feature";
import { mostRanks, type SizeArguments } from "../size";
import type { MetricsArgs } from "./args";
import { METRICS_PATH } from "./podMonitor";
import { validateMetrics } from "./rules";

/** The port after those of the broker and of `network: "hosts"`. */
const METRICS_PORT = 8052;

export interface MetricsArguments {
    /** Metrics for Prometheus from the lead. @default none */
    metrics?: MetricsArgs;
}

export interface MetricsSpec {
    readonly port: number;
    readonly annotations: boolean;
    /** Peers of the NetworkPolicy. */
    readonly clients?: readonly KubernetesObject[];
    /** Ranks, if no update changes their number without replacing the cluster. */
    readonly fixedSize?: number;
    readonly podMonitor?: { readonly labels?: Texts; readonly interval?: string };
}

export interface Decided {
    /** Undefined if the lead has no metrics. */
    readonly metrics?: MetricsSpec;
}

const SCRIPTS = [
    "metrics.py",
    "metrics.sh",
    "metrics_flux.py",
    "metrics_pod.py",
    "metrics_server.py",
    "metrics_text.py",
];

export const metrics: Feature<MetricsArguments & Pick<SizeArguments, "maxSize" | "size">, Decided> = {
    decide: (args) => ({
        metrics: (args.metrics?.enabled ?? args.metrics !== undefined) ? decideMetrics(args) : undefined,
    }),

    problems: validateMetrics,

    ...when(({ metrics: given }) => given, {
        files: () => scriptsIn(__dirname, ...SCRIPTS),
        parameters: ({ port }, spec) => ({ metrics: JSON.stringify({ port, ...surroundings(spec) }) }),
        ports: ({ port }) => [{ name: "metrics", port, protocol: "http" }],
        leadAnnotations: ({ annotations, port }) =>
            annotations
                ? {
                      "prometheus.io/path": METRICS_PATH,
                      "prometheus.io/port": String(port),
                      "prometheus.io/scrape": "true",
                  }
                : undefined,
    }),
};

function decideMetrics(args: Unwrap<MetricsArguments & Pick<SizeArguments, "maxSize" | "size">>): MetricsSpec {
    const given = args.metrics ?? {};
    return lazily<MetricsSpec>({
        port: () => given.port ?? METRICS_PORT,
        annotations: () => given.annotations ?? given.podMonitor === undefined,
        clients: () => given.clients,
        fixedSize: () => (args.maxSize === undefined ? mostRanks(args) : undefined),
        podMonitor: () => given.podMonitor,
    });
}

/** What the server can't learn from Flux. The pods don't know `size`, because a change of it replaces no pod. */
function surroundings({ archive, maxSize, metrics: own, minSize, mode, name }: MiniClusterSpec): object {
    return { archive: archive !== undefined, cluster: name, least: minSize, mode, most: maxSize, size: own?.fixedSize };
}
