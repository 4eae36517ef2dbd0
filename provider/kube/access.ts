import { existsSync } from "node:fs";

import type { KubeConfig } from "@kubernetes/client-node";

import type { ClusterAccess } from "./clusterAccess";

/** The kubeconfig that an access stands for, by the rules of the Kubernetes provider. */
export function loadKubeConfig(access: ClusterAccess, config: KubeConfig): KubeConfig {
    const { context, kubeconfig } = access;
    try {
        load(config, kubeconfig);
    } catch (cause) {
        const message = `The kubeconfig can't be read: ${(cause as Error).message}`;
        // One that was given is wrong; one that isn't found may well be there when the cluster is.
        throw kubeconfig ? new Error(message) : new Error(message, { cause });
    }
    if (context !== undefined && context !== "") {
        requireContext(config, context);
        config.setCurrentContext(context);
    }
    return config;
}

function load(config: KubeConfig, kubeconfig: string | undefined): void {
    if (kubeconfig === undefined || kubeconfig === "") {
        config.loadFromDefault();
        requireSomething(config);
    } else if (existsSync(kubeconfig)) {
        config.loadFromFile(kubeconfig);
    } else {
        config.loadFromString(kubeconfig);
    }
}

/** Where it finds nothing, the client makes up a cluster on this machine's port 8080. */
function requireSomething(config: KubeConfig): void {
    if (config.getCurrentCluster()?.server === "http://localhost:8080") {
        throw new Error("there is none. Set KUBECONFIG, or give MiniCluster the argument kubeconfig");
    }
}

function requireContext(config: KubeConfig, context: string): void {
    const known = config.getContexts().map(({ name }) => name);
    if (!known.includes(context)) {
        throw new Error(`context "${context}" is not in the kubeconfig; it has ${known.join(", ") || "none"}.`);
    }
}
