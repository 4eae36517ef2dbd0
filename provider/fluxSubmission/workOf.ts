import { isArray } from "../flux/elements";
import type { Waiting } from "../flux/lead";
import { array, submitArray } from "./array";
import type { JobView } from "./followedJob";
import type { FluxSubmissionInputs, JobRecord } from "./properties";
import { single, submitSingle } from "./single";
import type { Begun, Work } from "./work";

export function submit(inputs: FluxSubmissionInputs, waiting: Waiting): Promise<Begun> {
    return isArray(inputs) ? submitArray(inputs, waiting) : submitSingle(inputs, waiting);
}

/** The submitted work of these inputs. */
export function workOf(
    means: Pick<Waiting, "kube" | "signal"> & { readonly view?: JobView },
    inputs: FluxSubmissionInputs,
    { elements, jobId }: Pick<JobRecord, "elements"> & { readonly jobId: string },
): Work {
    return isArray(inputs) ? array(means, inputs, jobId, elements) : single(means, inputs, jobId);
}
