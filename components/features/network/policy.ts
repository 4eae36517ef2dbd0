import { podSelector } from "../../../provider/contract/labels";
import type { KubernetesObject } from "../../../provider/contract/object";
import { lazily } from "../../parts/lazily";
import { metadataOf } from "../../parts/metadata";
import type { MiniClusterSpec } from "../../spec";

/**
 * The NetworkPolicy. It admits the cluster's own pods to all ports, `restful.clients` to the port of the RESTful server,
 * and `metrics.clients` to that of the metrics.
 */
export function networkPolicy(spec: MiniClusterSpec): KubernetesObject {
    const { name } = spec;
    const pods = { matchLabels: podSelector(name) };
    return lazily<KubernetesObject>({
        metadata: () => metadataOf(spec, name),
        spec: () => ({
            podSelector: pods,
            policyTypes: ["Ingress"],
            ingress: [{ from: [{ podSelector: pods }] }, ...rules(spec)],
        }),
    });
}

/** The rules for the clients of the lead's servers. A rule with an empty list would admit all clients. */
function rules({ metrics, restful }: MiniClusterSpec): KubernetesObject[] {
    return [restful, metrics].flatMap((server) => {
        const clients = server?.clients ?? [];
        return clients.length === 0 ? [] : [{ from: clients, ports: [{ port: server?.port, protocol: "TCP" }] }];
    });
}
