import { QUEUE_LABEL } from "../../provider/contract/labels";
import type { Kube } from "../../provider/kube/client";
import { hasCode, sentence } from "../../provider/kube/failure";
import { queuedBecause } from "../../provider/queue/watch";
import { fail, type Finding, ok, unchecked, warn } from "./finding";
import type { Cluster } from "./place";

/** Whether Kueue has admitted the Job. */
export async function checkKueue(kube: Kube, namespace: string, { job }: Cluster): Promise<Finding[]> {
    const queue = job.metadata?.labels?.[QUEUE_LABEL];
    if (!job.spec?.suspend) {
        return [ok(`queue ${queue} has admitted the Job`)];
    }
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
