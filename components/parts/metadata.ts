import { labelsOf } from "../../provider/contract/labels";
import { compact, type KubernetesObject, sortKeys } from "../../provider/contract/object";
import type { MiniClusterSpec } from "../spec";
import { meshAnnotations, meshLabels } from "./mesh";

/** True for the name of a label or an annotation that this package sets, and by which it recognises its objects. */
export function isOwn(key: string): boolean {
    return key.startsWith("flux-minicluster/") || Object.hasOwn(labelsOf(""), key);
}

/** The metadata of an object of the cluster, with the user's labels and annotations. `more` holds further fields. */
export function metadataOf(spec: MiniClusterSpec, name: string, more: KubernetesObject = {}): KubernetesObject {
    const { annotations, namespace } = more;
    return compact({
        name,
        namespace,
        labels: sortKeys({ ...spec.labels, ...labelsOf(spec.name) }),
        annotations: sortKeys({ ...spec.annotations, ...annotations }),
    });
}

/** The labels of the ranks' pods, and of the pod that makes the key. */
export function podLabels(spec: MiniClusterSpec): Record<string, string> {
    return { ...meshLabels(spec), ...spec.podLabels, ...labelsOf(spec.name) };
}

/** The annotations of the ranks' pods, and of the pod that makes the key. */
export function podAnnotations(spec: MiniClusterSpec): Record<string, string> {
    return { ...meshAnnotations(spec), ...spec.podAnnotations };
}
