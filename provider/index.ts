import { requireNode } from "./contract/versions";
import { cancellation } from "./host/cancel";
import { programAccesses, warnOfTrouble } from "./host/programAccess";
import { endPluginsBy } from "./kubernetes/kubeconfig/execPlugin";
import { askProgramBy } from "./kubernetes/kubeconfig/clusterAccess";
import type { DynamicType } from "./host/shimText";
import { readably, type Verbs } from "./host/verbs";
import type { Json } from "./contract/object";

/*
 * The entry point for Pulumi's dynamic provider host: the provider text in a stack's state requires this module. The
 * code of a resource is loaded when it is first needed, and the Kubernetes client with it.
 */
const loaders: Record<DynamicType, () => Verbs<Json, Json>> = {
    CurveKey: () => (require("./curveKey/verbs") as typeof import("./curveKey/verbs")).curveKey,
    FluxSubmission: () => (require("./fluxSubmission/verbs") as typeof import("./fluxSubmission/verbs")).fluxSubmission,
    FluxTicket: () => (require("./fluxTicket/verbs") as typeof import("./fluxTicket/verbs")).fluxTicket,
    IndexedJob: () => (require("./indexedJob/verbs") as typeof import("./indexedJob/verbs")).indexedJob,
    JobStatus: () => (require("./jobStatus/verbs") as typeof import("./jobStatus/verbs")).jobStatus,
    KeygenPod: () => (require("./keygenPod/verbs") as typeof import("./keygenPod/verbs")).keygenPod,
};

/** The verbs of a dynamic resource. A destroy runs them without the constructors, which also refuse an older Node. */
export function verbs(type: DynamicType): Verbs<Json, Json> {
    requireNode();
    endPluginsBy(cancellation);
    askProgramBy(programAccesses, warnOfTrouble);
    return readably(loaders[type]());
}
