import { isArray } from "../flux/elements";
import type { Waiting } from "../flux/lead";
import { array, submitArray } from "./array";
import type { JobView } from "./followedJob";
import type { FluxSubmissionInputs, JobRecord } from "./properties";
import type { Ids } from "./runRecord";
import { single, submitSingle } from "./single";
import type { Begun, Work } from "./work";

export function submit(inputs: FluxSubmissionInputs, waiting: Waiting): Promise<Begun> {
    return isArray(inputs) ? submitArray(inputs, waiting) : submitSingle(inputs, waiting);
}

/** The submitted work of these inputs. */
export function workOf(
    means: Pick<Waiting, "kube" | "signal"> & { readonly view?: JobView },
    inputs: FluxSubmissionInputs,
    { elements, ...ids }: Pick<JobRecord, "elements"> & Ids,
): Work {
    return isArray(inputs) ? array(means, inputs, ids.jobId, elements) : single(means, inputs, ids);
}
