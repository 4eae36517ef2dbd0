import { createHash } from "node:crypto";

/** Names of the Kubernetes objects of a MiniCluster, all derived from its own name. */
export interface Names {
    /** The Job, its PodDisruptionBudget, and the headless Service that gives its pods their host names. */
    readonly cluster: string;
    /** The Service in front of rank 0. */
    readonly lead: string;
    /** The cluster's Secret. */
    readonly secret: string;
    /** The Deployment and the Service of the containers that all ranks share. */
    readonly services: string;
    /** The Secret of a key that the pods make. */
    readonly key: string;
    /** The pod that makes a key. */
    readonly keygen: string;
}

export function namesOf(cluster: string): Names {
    return {
        cluster,
        lead: `${cluster}-lead`,
        secret: `${cluster}-secret`,
        services: `${cluster}-services`,
        key: `${cluster}-curve`,
        keygen: `${cluster}-keygen`,
    };
}

/**
 * Name of the ConfigMap with broker.toml and the scripts. It changes with the content, so that a pod always sees the
 * content for which it was created.
 */
export function configName(cluster: string, files: Readonly<Record<string, string>>): string {
    const hash = createHash("sha256")
        .update(JSON.stringify(Object.entries(files)))
        .digest("hex");
    return `${cluster}-config-${hash.slice(0, 8)}`;
}

/** Name of the container that runs the broker. */
export const FLUX_CONTAINER = "flux";

/** TCP port of the brokers if the arguments name no other one. */
export const BROKER_PORT = 8050;
