import { Placement } from "../args";
import { labelsOf } from "../../provider/contract/names";
import type { MiniClusterSpec } from "../spec";
import type { KubernetesObject } from "../../provider/contract/object";

const NODE = "kubernetes.io/hostname";

/** Label by which pods of clusters that want nodes of their own keep each other away. */
export const EXCLUSIVE_LABEL = "flux-minicluster/exclusive";

/** The pod's `affinity` and `topologySpreadConstraints`. */
export function placement(spec: MiniClusterSpec): KubernetesObject {
    if (spec.affinity !== undefined) {
        return { affinity: spec.affinity };
    }
    const own = { matchLabels: { "app.kubernetes.io/instance": labelsOf(spec.name)["app.kubernetes.io/instance"] } };
    switch (spec.placement) {
        case Placement.Exclusive: {
            const term = {
                labelSelector: { matchLabels: { [EXCLUSIVE_LABEL]: "true" } },
                namespaceSelector: {},
                topologyKey: NODE,
            };
            return { affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } } };
        }
        case Placement.Pack: {
            const term = { weight: 100, podAffinityTerm: { labelSelector: own, topologyKey: NODE } };
            return { affinity: { podAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [term] } } };
        }
        case Placement.Spread:
            return {
                topologySpreadConstraints: [
                    { labelSelector: own, maxSkew: 1, topologyKey: NODE, whenUnsatisfiable: "ScheduleAnyway" },
                ],
            };
    }
}
