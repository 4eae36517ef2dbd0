import { namesOf } from "../../../provider/contract/names";
import type { MiniClusterSpec } from "../../spec";
import { isMadeInPods } from "../key";

/**
 * The service account of the pods: that of the user, or one that a feature needs for its rights. All containers of a pod
 * share one. Undefined for that of the namespace.
 */
export function podAccount(spec: MiniClusterSpec): string | undefined {
    const { elastic, key } = namesOf(spec.name);
    const made = isMadeInPods(spec) ? key : spec.elastic && elastic;
    return spec.serviceAccountName ?? made;
}
