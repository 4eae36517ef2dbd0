import type { V1Node, V1NodeSelectorTerm, V1PodSpec, V1Taint, V1Toleration } from "@kubernetes/client-node";

import { type Amounts, isExtended } from "./amounts";
import { type Labels, meets } from "./selectors";

/** True if a node has the labels that `nodeSelector` and the required node affinity ask for. */
export function selects({ affinity, nodeSelector = {} }: V1PodSpec, { metadata }: V1Node): boolean {
    const labels: Labels = metadata?.labels ?? {};
    const terms = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
    return (
        Object.entries(nodeSelector).every(([key, value]) => labels[key] === value) &&
        (terms === undefined || terms.some((term) => meetsTerm(term, labels, metadata?.name ?? "")))
    );
}

/** A term without requirements selects no node. */
function meetsTerm({ matchExpressions = [], matchFields = [] }: V1NodeSelectorTerm, labels: Labels, name: string) {
    const fields = { "metadata.name": name };
    return (
        matchExpressions.length + matchFields.length > 0 &&
        matchExpressions.every((requirement) => meets(requirement, labels)) &&
        matchFields.every((requirement) => meets(requirement, fields))
    );
}

const CORDON: V1Taint = { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" };

/**
 * The first taint of a node that keeps the pods away; also that of a cordoned node. A taint that is named as a device
 * which the pods request counts as tolerated: many clusters' admission adds that toleration.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#extendedresourcetoleration
 */
export function untolerated({ tolerations = [] }: V1PodSpec, wanted: Amounts, { spec }: V1Node): V1Taint | undefined {
    const taints = [...(spec?.taints ?? []), ...(spec?.unschedulable ? [CORDON] : [])];
    return taints
        .filter(({ effect, key }) => effect !== "PreferNoSchedule" && !(isExtended(key) && (wanted[key] ?? 0) > 0))
        .find((taint) => !tolerations.some((toleration) => tolerates(toleration, taint)));
}

/** @see https://github.com/kubernetes/api/blob/master/core/v1/toleration.go */
export function tolerates({ effect, key, operator = "Equal", value = "" }: V1Toleration, taint: V1Taint): boolean {
    if ((effect && effect !== taint.effect) || (key && key !== taint.key)) {
        return false;
    }
    return operator === "Exists" || (operator === "Equal" && value === (taint.value ?? ""));
}
