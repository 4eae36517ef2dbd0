import type { V1Job, V1Pod } from "@kubernetes/client-node";

import { INDEX_LABEL } from "../contract/labels";
import { FLUX_CONTAINER } from "../contract/names";
import { type Mutation, mutationOf } from "../observe/pods/mutation";
import { isUp } from "./phase";
import type { Progress } from "./readiness";

/**
 * Keeps the lead's newest pod, to tell once how admission has changed it. The other pods have the same template, and
 * admission treats them alike.
 */
export class Admission {
    private lead: V1Pod | undefined;
    private isTold = false;

    see(pod: V1Pod): void {
        const { creationTimestamp: at = 0, labels } = pod.metadata ?? {};
        const before = this.lead?.metadata?.creationTimestamp ?? 0;
        if (labels?.[INDEX_LABEL] === "0" && new Date(at) >= new Date(before)) {
            this.lead = pod;
        }
    }

    /** True if the lead's pod has a CPU limit, also by admission. */
    get hasQuota(): boolean {
        const flux = (this.lead?.spec?.containers ?? []).find(({ name }) => name === FLUX_CONTAINER);
        return flux?.resources?.limits?.["cpu"] !== undefined;
    }

    /** How admission has changed the pods, when the cluster is up or the wait is over. */
    take(job: V1Job | undefined, { outcome, phase }: Progress): Mutation | undefined {
        if (this.isTold || job === undefined || this.lead === undefined || !(isUp(phase) || outcome !== undefined)) {
            return undefined;
        }
        this.isTold = true;
        return mutationOf(job, this.lead);
    }
}
