import { readFileSync } from "node:fs";

import type { KubernetesObject } from "../contract/object";
import type { Kube } from "./client";
import { ifThere } from "./failures/failure";
import type { LeadService } from "../contract/lead";

/** An object that is created beside the lead Service. */
interface Placed {
    readonly lead: LeadService;
    readonly manifest: KubernetesObject;
}

/**
 * Fails if the Kubernetes provider uses another cluster. That provider creates the Services, this package creates the
 * Job and the pod that makes a key. In a different cluster, the lead Service doesn't exist or has another UID.
 */
export async function requireSameCluster(kube: Kube, inputs: Placed): Promise<void> {
    const { lead, manifest } = inputs;
    // Pulumi leaves out an output that the provider of another resource doesn't give.
    if ((lead.uid as string | undefined) === undefined) {
        throw new Error(
            `Service ${lead.name} has no UID, because its Kubernetes provider only writes files (renderYamlToDirectory), but a ` +
                "MiniCluster needs objects of a cluster. Give it another provider.",
        );
    }
    if (!(await isSameCluster(kube, inputs))) {
        const { namespace } = manifest.metadata as { namespace: string };
        throw new Error(
            `Service ${namespace}/${lead.name} of the Kubernetes provider is not in the cluster at ${kube.server}: ` +
                "MiniCluster and the provider use different clusters. Give MiniCluster the kubeconfig and the context of " +
                "that provider.",
        );
    }
}

/** True if the cluster has the lead Service of this object. */
export async function isSameCluster(kube: Kube, inputs: Placed): Promise<boolean> {
    const uid = (await findLeadService(kube, inputs))?.metadata?.uid;
    return uid !== undefined && uid === inputs.lead.uid;
}

function findLeadService(kube: Kube, { lead, manifest }: Placed) {
    return ifThere(kube.getService((manifest.metadata as { namespace: string }).namespace, lead.name));
}

/**
 * True if two clients talk to the same API server: at one address, whose certificate the same authority proves. An address
 * alone doesn't tell two clusters apart, for example those of two tunnels that end at 127.0.0.1:6443.
 */
export function isSameServer(a: Kube, b: Kube): boolean {
    const server = provenServer(a);
    return server !== undefined && server === provenServer(b);
}

/** Address and authority of an API server; undefined if its certificate isn't verified. */
function provenServer({ config }: Kube): string | undefined {
    const { caData, caFile, server, skipTLSVerify, tlsServerName } = config.getCurrentCluster() ?? {};
    if (skipTLSVerify || !server?.startsWith("https:")) {
        return undefined;
    }
    const authority = caFile ? readFileSync(caFile, "utf8") : Buffer.from(caData ?? "", "base64").toString();
    return JSON.stringify([server.replace(/\/+$/, ""), tlsServerName, authority.trim()]);
}
