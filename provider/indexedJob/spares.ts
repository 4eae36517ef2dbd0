import { labelsOf } from "../../components/names";
import { apiFailure, isTransient } from "../kube/failure";
import { type Kube, retry } from "../kube/client";
import type { IndexedJobInputs } from "./resource";

/**
 * Removes the ConfigMaps of this cluster's earlier Jobs, which Pulumi leaves (`retainOnDelete`). Those that can't be
 * removed go with the lead Service.
 */
export async function removeSpares(kube: Kube, { lead, manifest }: IndexedJobInputs): Promise<void> {
    const { name, namespace } = manifest.metadata as { name: string; namespace: string };
    const volumes = manifest.spec.template.spec.volumes as readonly { configMap?: { name: string } }[];
    const used = new Set(volumes.map(({ configMap }) => configMap?.name));
    const labelSelector = Object.entries(labelsOf(name)).map(([label, value]) => `${label}=${value}`).join();
    try {
        const { items } = await retry(() => kube.core.listNamespacedConfigMap({ namespace, labelSelector }));
        const ours = items.filter(({ metadata }) => metadata?.ownerReferences?.some(({ uid }) => uid === lead.uid));
        const spares = ours.flatMap(({ metadata }) => metadata?.name ?? []).filter((spare) => !used.has(spare));
        await Promise.all(spares.map((spare) => kube.core.deleteNamespacedConfigMap({ name: spare, namespace })));
    } catch (error) {
        if (apiFailure(error) === undefined && !isTransient(error)) {
            throw error;
        }
    }
}
