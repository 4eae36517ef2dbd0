import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";

import type { KubeConfig } from "../../provider/kubernetes/clientNode";
import type { Kube } from "../../provider/kubernetes/client";
import { sentence } from "../../provider/kubernetes/failures/failure";
import { fail, type Finding, ok } from "./finding";

const AGAIN = "make the kubeconfig again with the tool of your Kubernetes cluster";

/** A kubeconfig that can't be loaded. */
export function unusable(error: unknown): Finding {
    return fail(sentence(error), `correct it, or ${AGAIN}; select another one with --kubeconfig and --context`);
}

/** Whether the kubeconfig and its credential can be used, before any request. */
export async function checkKubeconfig(kube: Kube, now = new Date()): Promise<Finding[]> {
    const { config, server } = kube;
    const user = config.getCurrentUser()?.name ?? "none";
    const chosen = ok(`context ${config.getCurrentContext()}: user ${user} at ${server}`);
    const ended = certificateEnd(config);
    if (ended !== undefined && ended < now) {
        const text = `the client certificate of user ${user} ended at ${ended.toISOString()}`;
        return [chosen, fail(text, `log in again, or ${AGAIN}`)];
    }
    try {
        await kube.requireCredential();
        return [chosen];
    } catch (error) {
        const cure = `install the program of the plugin and put its folder in PATH, or log in with it; or ${AGAIN}`;
        return [chosen, fail(sentence(error), cure)];
    }
}

function certificateEnd(config: KubeConfig): Date | undefined {
    const { certData, certFile } = config.getCurrentUser() ?? {};
    if (!certData && !certFile) {
        return undefined;
    }
    const pem = certData ? Buffer.from(certData, "base64") : readFileSync(certFile ?? "");
    return new Date(new X509Certificate(pem).validTo);
}
