import { FLUX_CONTAINER, namesOf } from "../provider/contract/names";
import { FIND_FLUX } from "../provider/contract/paths";
import type { MiniClusterSpec } from "./spec";

/** Shell commands for users. They name the lead Service, which always selects the lead's pod. */
export function commandsFor(spec: MiniClusterSpec, namespace: string) {
    const lead = `service/${namesOf(spec.name).lead}`;
    const { port } = spec.restful ?? spec.broker;
    return {
        attach: `kubectl exec -it -n ${namespace} ${lead} -c ${FLUX_CONTAINER} -- sh -c '${FIND_FLUX}; exec bash'`,
        forward: `kubectl port-forward -n ${namespace} ${lead} ${port}:${port}`,
        logs: `kubectl logs -n ${namespace} ${lead} -c ${FLUX_CONTAINER}`,
    };
}
