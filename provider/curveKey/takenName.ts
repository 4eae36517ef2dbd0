import { ANNOTATIONS } from "../contract/labels";
import { namesOf } from "../contract/names";
import { connect } from "../kubernetes/client";
import { refusalOfForeign, stackOf } from "../kubernetes/ownership";
import type { CurveKeyInputs } from "./properties";

/**
 * Refuses a name whose lead Service belongs to a MiniCluster of another stack, before any object is created. An update without a
 * preview would else fail at the Services, with the conflict of the Kubernetes provider, which names no owner. A Service of this
 * stack may have the key that this one replaces.
 */
export async function refuseTakenName({ resourceUrn, ...key }: CurveKeyInputs): Promise<void> {
    const { cluster, context, kubeconfig } = key;
    if (cluster === undefined) {
        return;
    }
    const kube = connect({ context, kubeconfig }).briefly();
    const namespace = key.namespace ?? kube.namespace;
    const { lead } = namesOf(cluster);
    // What can't be read decides nothing: the requests that follow tell more.
    const service = await kube.getService(namespace, lead).catch(() => undefined);
    const owner = service?.metadata?.annotations?.[ANNOTATIONS.stack];
    if (service !== undefined && owner !== undefined && owner !== stackOf(resourceUrn)) {
        throw new Error(refusalOfForeign(`Service ${namespace}/${lead}`, service));
    }
}
