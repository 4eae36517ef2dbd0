import { FLUX_CONTAINER } from "../contract/names";
import { type Kube, retry } from "../kubernetes/client";
import { type Told, toldIn } from "./list";

/** Lines at the end of the lead's log among which the list of the results is. */
const LINES = 500;

/** What a lead's log says of results; undefined before its command's end. */
export async function readTold(kube: Kube, lead: { name: string; namespace: string }): Promise<Told | undefined> {
    const request = { ...lead, container: FLUX_CONTAINER, tailLines: LINES };
    return toldIn(await retry(() => kube.core.readNamespacedPodLog(request), kube.patience.tries));
}
