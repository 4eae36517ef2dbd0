import type { Piece } from "./pieces";

/** Enforces NetworkPolicy objects. Its Go module is separate, because only clusters with POLICY=on need it. */
export const kubeRouter: Piece = {
    name: "kube-router",
    module: "kube-router",
    packages: ["./kube-router"],
    cpuSeconds: 5,
};
