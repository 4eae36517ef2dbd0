import { Writable } from "node:stream";

import * as k8s from "@kubernetes/client-node";

/** Clients with the administrator's rights, for tests that need more rights than Pulumi has. */
export class Kube {
    readonly config = new k8s.KubeConfig();
    readonly apps: k8s.AppsV1Api;
    readonly batch: k8s.BatchV1Api;
    readonly core: k8s.CoreV1Api;
    readonly discovery: k8s.DiscoveryV1Api;
    readonly networking: k8s.NetworkingV1Api;
    readonly policy: k8s.PolicyV1Api;
    readonly objects: k8s.KubernetesObjectApi;
    readonly rbac: k8s.RbacAuthorizationV1Api;

    constructor(kubeconfig: string) {
        this.config.loadFromFile(kubeconfig);
        this.apps = this.config.makeApiClient(k8s.AppsV1Api);
        this.batch = this.config.makeApiClient(k8s.BatchV1Api);
        this.core = this.config.makeApiClient(k8s.CoreV1Api);
        this.discovery = this.config.makeApiClient(k8s.DiscoveryV1Api);
        this.networking = this.config.makeApiClient(k8s.NetworkingV1Api);
        this.policy = this.config.makeApiClient(k8s.PolicyV1Api);
        this.objects = this.config.makeApiClient(k8s.KubernetesObjectApi);
        this.rbac = this.config.makeApiClient(k8s.RbacAuthorizationV1Api);
    }

    /** Deletes an object and, in the background, all objects that it owns. A missing object is no error. */
    async remove(object: k8s.KubernetesObject): Promise<void> {
        await this.objects
            .delete(object, undefined, undefined, undefined, undefined, "Background")
            .catch((error: unknown) => {
                if (!(error instanceof k8s.ApiException && error.code === 404)) {
                    throw error;
                }
            });
    }

    /** Runs a command in a pod's Flux container. Returns both output streams. A failure is an error with these. */
    exec(namespace: string, pod: string, command: readonly string[], container = "flux"): Promise<string> {
        const chunks: Buffer[] = [];
        const output = new Writable({
            write(chunk: Buffer, _encoding, done) {
                chunks.push(chunk);
                done();
            },
        });
        const text = () => Buffer.concat(chunks).toString();
        return new Promise((resolve, reject) => {
            new k8s.Exec(this.config)
                .exec(namespace, pod, container, [...command], output, output, null, false, ({ message, status }) =>
                    status === "Success"
                        ? resolve(text())
                        : reject(new Error(`${command.join(" ")}: ${message}: ${text()}`)),
                )
                .catch(reject);
        });
    }
}

/** Whether a pod or a node has the condition Ready. */
export function isReady(object: k8s.V1Pod | k8s.V1Node | undefined): boolean {
    return object?.status?.conditions?.some(({ status, type }) => type === "Ready" && status === "True") ?? false;
}
