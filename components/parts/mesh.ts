import type { MiniClusterSpec } from "../spec";

/** By which Istio stays out. */
export function meshLabels(spec: MiniClusterSpec): Record<string, string> {
    return spec.serviceMesh ? {} : { "sidecar.istio.io/inject": "false" };
}

/** By which Linkerd stays out. */
export function meshAnnotations(spec: MiniClusterSpec): Record<string, string> {
    return spec.serviceMesh ? {} : { "linkerd.io/inject": "disabled" };
}
