import { namesOf } from "../../../provider/contract/names";
import type { MiniClusterSpec } from "../../spec";
import { isMadeInPods } from "../key";

/**
 * The service account of the pods: that of the user, or one that a feature needs for its rights. All containers of a pod
 * share one. Undefined for that of the namespace.
 */
export function podAccount(spec: MiniClusterSpec): string | undefined {
    return spec.serviceAccountName ?? madeAccount(spec);
}

/** The names of features' children: the first feature that needs an account makes it. */
function madeAccount(spec: MiniClusterSpec): string | undefined {
    const { budget, elastic, key } = namesOf(spec.name);
    if (isMadeInPods(spec)) {
        return key;
    }
    if (spec.elastic !== undefined) {
        return elastic;
    }
    return spec.disruptionBudget && spec.mode === "persistent" ? budget : undefined;
}
