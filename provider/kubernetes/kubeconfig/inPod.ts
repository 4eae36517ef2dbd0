import { existsSync } from "node:fs";

import { KubeConfig } from "../clientNode";

const SERVICE_ACCOUNT_TOKEN = "/var/run/secrets/kubernetes.io/serviceaccount/token";

/** True in a pod with a service account's token. */
export function isInPod(): boolean {
    const { KUBERNETES_SERVICE_HOST, KUBERNETES_SERVICE_PORT } = process.env;
    return Boolean(KUBERNETES_SERVICE_HOST && KUBERNETES_SERVICE_PORT) && existsSync(SERVICE_ACCOUNT_TOKEN);
}

/** The access of this pod's service account. `files` are those in which no kubeconfig was found. */
export function ofThisPod(files: readonly string[]): KubeConfig {
    if (!isInPod()) {
        throw new Error(
            `The kubeconfig can't be read: there is none in ${files.filter(Boolean).join(", ")}, and this is no pod with a ` +
                "service account. Set KUBECONFIG, or give MiniCluster the argument kubeconfig.",
        );
    }
    const config = new KubeConfig();
    config.loadFromCluster();
    return config;
}
