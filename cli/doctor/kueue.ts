import type { V1Job } from "@kubernetes/client-node";

import { QUEUE_LABEL } from "../../provider/contract/labels";
import type { Kube } from "../../provider/kubernetes/client";
import { hasCode, sentence } from "../../provider/kubernetes/failures/failure";
import { asleepSince, isGated } from "../../provider/kubernetes/sleep";
import { queuedBecause } from "../../provider/judge/queue/watch";
import { fail, type Finding, ok, unchecked, warn } from "./finding";
import type { Cluster } from "./subject";

/** Whether Kueue has admitted the Job, with all of its pods. A cluster that sleeps has given its quota back. */
export async function checkKueue(kube: Kube, namespace: string, { job, pods }: Cluster): Promise<Finding[]> {
    const queue = job.metadata?.labels?.[QUEUE_LABEL];
    if (!job.spec?.suspend && !pods.some(isGated)) {
        return asleepSince(job) === undefined ? [ok(`queue ${queue} has admitted the Job`)] : [];
    }
    return explainWait(kube, namespace, job, queue);
}

async function explainWait(kube: Kube, namespace: string, job: V1Job, queue: string | undefined): Promise<Finding[]> {
    try {
        const reason = await queuedBecause(kube, { namespace, uid: job.metadata?.uid ?? "" });
        return reason === undefined
            ? [fail(`queue ${queue} says nothing of the Job`, "look whether Kueue runs, and whether the queue exists")]
            : [
                  warn(
                      `the Job waits in queue ${queue}: ${reason}`,
                      "smaller resources or size, or a larger quota in Kueue",
                  ),
              ];
    } catch (error) {
        const text = `queue ${queue}: ${sentence(error)}`;
        return hasCode(error, 404)
            ? [fail(text, "install Kueue, or remove queueName")]
            : [unchecked(text, "docs/rbac.yaml: list workloads of kueue.x-k8s.io")];
    }
}
