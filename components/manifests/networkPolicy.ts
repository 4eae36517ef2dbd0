import { labelsOf, podSelector } from "../names";
import type { MiniClusterSpec } from "../spec";
import type { KubernetesObject } from "./object";

/** Lets nobody but the cluster's own pods in; the RESTful server asks its users who they are. */
export function networkPolicy(spec: MiniClusterSpec): KubernetesObject {
    const pods = { matchLabels: podSelector(spec.name) };
    const users = spec.restful === undefined ? [] : [{ ports: [{ port: spec.restful.port, protocol: "TCP" }] }];
    return {
        metadata: { name: spec.name, labels: labelsOf(spec.name) },
        spec: { podSelector: pods, policyTypes: ["Ingress"], ingress: [{ from: [{ podSelector: pods }] }, ...users] },
    };
}
