import type { MiniClusterSpec } from "../spec";

/** Labels that keep Istio, with and without sidecars, and Kuma out of a pod. */
export function meshLabels(spec: MiniClusterSpec): Record<string, string> {
    return spec.serviceMesh
        ? {}
        : {
              "istio.io/dataplane-mode": "none",
              "kuma.io/sidecar-injection": "disabled",
              "sidecar.istio.io/inject": "false",
          };
}

/** Annotations that keep Consul and Linkerd out of a pod. */
export function meshAnnotations(spec: MiniClusterSpec): Record<string, string> {
    return spec.serviceMesh ? {} : { "consul.hashicorp.com/connect-inject": "false", "linkerd.io/inject": "disabled" };
}
