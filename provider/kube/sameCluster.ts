import type { KubernetesObject } from "../contract/object";
import type { Kube } from "./client";
import { ifThere } from "./failure";
import type { LeadService } from "./leadService";

/** What is made beside the lead Service. */
interface Placed {
    readonly lead: LeadService;
    readonly manifest: KubernetesObject;
}

/**
 * The Services come from the Kubernetes provider, the Job and the pod that makes a key from here. Where the two see
 * different clusters, the lead Service isn't here, or is another one.
 */
export async function requireSameCluster(kube: Kube, inputs: Placed): Promise<void> {
    const { lead, manifest } = inputs;
    if (!(await isSameCluster(kube, inputs))) {
        const { namespace } = manifest.metadata as { namespace: string };
        throw new Error(
            `Service ${namespace}/${lead.name} of the Kubernetes provider is not in the cluster at ${kube.server}: the ` +
                "two are different clusters. Give MiniCluster the kubeconfig and the context of that provider.",
        );
    }
}

/** True where the cluster has the lead Service of this Job. */
export async function isSameCluster(kube: Kube, inputs: Placed): Promise<boolean> {
    const { lead, manifest } = inputs;
    const live = await ifThere(kube.getService((manifest.metadata as { namespace: string }).namespace, lead.name));
    const uid = live?.metadata?.uid;
    return uid !== undefined && uid === lead.uid;
}
