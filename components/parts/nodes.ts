import { compact, type KubernetesObject } from "../../provider/contract/object";
import type { MiniClusterSpec } from "../spec";

/** Node selection and pull secrets of all pods of a cluster. */
export function nodesAndRegistries(spec: MiniClusterSpec): KubernetesObject {
    return {
        imagePullSecrets: spec.imagePullSecrets.map((name) => ({ name })),
        nodeSelector: spec.nodeSelector,
        tolerations: spec.tolerations.map((toleration) => compact({ ...toleration })),
    };
}

/** Node selection, pull secrets, scheduler, classes and security context of pods that run Flux. */
export function whereToRun(spec: MiniClusterSpec): KubernetesObject {
    return {
        ...nodesAndRegistries(spec),
        schedulerName: spec.schedulerName,
        priorityClassName: spec.priorityClassName,
        runtimeClassName: spec.runtimeClassName,
        securityContext: spec.podSecurityContext,
    };
}
