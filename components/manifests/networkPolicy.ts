import { labelsOf, podSelector } from "../names";
import type { MiniClusterSpec } from "../spec";
import type { KubernetesObject } from "./object";

/** Lets nobody but the cluster's own pods in. */
export function networkPolicy(spec: MiniClusterSpec): KubernetesObject {
    const pods = { matchLabels: podSelector(spec.name) };
    return {
        metadata: { name: spec.name, labels: labelsOf(spec.name) },
        spec: { podSelector: pods, policyTypes: ["Ingress"], ingress: [{ from: [{ podSelector: pods }] }] },
    };
}
