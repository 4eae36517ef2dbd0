import { podSelector } from "../../../provider/contract/labels";
import { namesOf } from "../../../provider/contract/names";
import type { KubernetesObject } from "../../../provider/contract/object";
import { lazily } from "../../parts/lazily";
import { metadataOf } from "../../parts/metadata";
import type { MiniClusterSpec } from "../../spec";

/**
 * The PodDisruptionBudget. It admits no eviction of a pod that it selects: `minAvailable` is a number, because a Job has no
 * scale from which Kubernetes could compute a share, and a cluster never has more pods than that. At first it selects all
 * ranks; the lead of a persistent cluster then changes the selector. A pod that isn't ready may always leave. By another
 * policy it could leave only if `minAvailable` other pods were ready, and there are never so many.
 */
export function disruptionBudget(spec: MiniClusterSpec): KubernetesObject {
    return lazily<KubernetesObject>({
        metadata: () => metadataOf(spec, namesOf(spec.name).cluster),
        spec: () => ({
            minAvailable: spec.maxSize,
            selector: { matchLabels: podSelector(spec.name) },
            unhealthyPodEvictionPolicy: "AlwaysAllow",
        }),
    });
}
