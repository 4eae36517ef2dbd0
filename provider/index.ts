import type { DynamicType } from "./shim";
import type { Verbs } from "./verbs";

/*
 * The door through which Pulumi's dynamic provider host comes in; the text in a stack's state knows its name. Each
 * resource's code is loaded when it is first needed, and the Kubernetes client with it.
 */
const loaders: Record<DynamicType, () => Verbs<any, any>> = {
    CurveKey: () => (require("./curveKey/verbs") as typeof import("./curveKey/verbs")).curveKey,
    FluxSubmission: () => (require("./fluxSubmission/verbs") as typeof import("./fluxSubmission/verbs")).fluxSubmission,
    FluxTicket: () => (require("./fluxTicket/verbs") as typeof import("./fluxTicket/verbs")).fluxTicket,
    IndexedJob: () => (require("./indexedJob/verbs") as typeof import("./indexedJob/verbs")).indexedJob,
    JobStatus: () => (require("./jobStatus/verbs") as typeof import("./jobStatus/verbs")).jobStatus,
    KeygenPod: () => (require("./keygenPod/verbs") as typeof import("./keygenPod/verbs")).keygenPod,
};

/** The verbs of a dynamic resource. */
export function verbs(type: DynamicType): Verbs<any, any> {
    return loaders[type]();
}
