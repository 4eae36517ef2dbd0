import { existsSync } from "node:fs";

import type { KubeConfig } from "@kubernetes/client-node";

/** Which cluster, and as whom. Empty: as kubectl would choose, at the time of each call. */
export interface ClusterAccess {
    /** Text or path of a kubeconfig. */
    readonly kubeconfig?: string;
    readonly context?: string;
}

/** The kubeconfig that an access stands for, by the rules of the Kubernetes provider. */
export function loadKubeConfig(access: ClusterAccess, config: KubeConfig): KubeConfig {
    const { context, kubeconfig } = access;
    if (kubeconfig === undefined || kubeconfig === "") {
        config.loadFromDefault();
    } else if (existsSync(kubeconfig)) {
        config.loadFromFile(kubeconfig);
    } else {
        config.loadFromString(kubeconfig);
    }
    if (context !== undefined && context !== "") {
        requireContext(config, context);
        config.setCurrentContext(context);
    }
    return config;
}

function requireContext(config: KubeConfig, context: string): void {
    const known = config.getContexts().map(({ name }) => name);
    if (!known.includes(context)) {
        throw new Error(`context "${context}" is not in the kubeconfig; it has ${known.join(", ") || "none"}.`);
    }
}
