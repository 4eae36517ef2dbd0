import type { MiniClusterSpec } from "../spec";

/** Labels that keep Istio out of a pod. */
export function meshLabels(spec: MiniClusterSpec): Record<string, string> {
    return spec.serviceMesh ? {} : { "sidecar.istio.io/inject": "false" };
}

/** Annotations that keep Linkerd out of a pod. */
export function meshAnnotations(spec: MiniClusterSpec): Record<string, string> {
    return spec.serviceMesh ? {} : { "linkerd.io/inject": "disabled" };
}
