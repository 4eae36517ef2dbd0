import { leadSelector } from "../../../provider/contract/labels";
import { compact, type KubernetesObject } from "../../../provider/contract/object";
import { metadataOf } from "../../parts/metadata";
import type { MiniClusterSpec } from "../../spec";

export const METRICS_PATH = "/metrics";

/** The PodMonitor, which selects the lead only. */
export function podMonitor(spec: MiniClusterSpec): KubernetesObject {
    const { interval, labels } = spec.metrics?.podMonitor ?? {};
    const metadata = metadataOf(spec, spec.name);
    return {
        metadata: { ...metadata, labels: { ...labels, ...(metadata.labels as object) } },
        spec: {
            selector: { matchLabels: leadSelector(spec.name) },
            podMetricsEndpoints: [compact({ port: "metrics", path: METRICS_PATH, interval })],
        },
    };
}
