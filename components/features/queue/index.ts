import type { Input, Unwrap } from "@pulumi/pulumi";

import { ELASTIC_JOB, LEAST_PODS, QUEUE_LABEL, SAME_COMPLETIONS } from "../../../provider/contract/labels";
import type { Decide, MiniClusterSpec, Texts } from "../../spec";
import { type Feature, when } from "../feature";
import type { NameArguments } from "../name";
import { topologyOf, validateQueue } from "./rules";

export interface QueueArguments {
    /**
     * Name of a Kueue LocalQueue, which then decides on suspension and scheduling. A change replaces the Job. The label
     * `kueue.x-k8s.io/priority-class` in `labels` gives it a priority: docs/scheduling.md.
     * @default the label `kueue.x-k8s.io/queue-name` in `labels`
     */
    queueName?: Input<string>;
}

export type Decided = Decide<QueueArguments, never>;

export const queue: Feature<QueueArguments, Decided> = {
    // Kueue reads the label only, so a program that gives it in `labels` has the same queue.
    decide: ({ labels, queueName }: Unwrap<QueueArguments & Pick<NameArguments, "labels">>) => ({
        queueName: queueName ?? labels?.[QUEUE_LABEL],
    }),
    problems: validateQueue,

    ...when(({ queueName }) => queueName, {
        jobLabels: (queueName) => ({ [QUEUE_LABEL]: queueName }),
        jobAnnotations: (_queue, spec) => sizeAnnotations(spec),
    }),
};

/**
 * How Kueue may change the number of pods. Without an annotation, it ends all pods of a Job whose size changes, and the
 * Job waits in its queue again. With partial admission, the completions must follow: nobody waits for ranks without pods.
 */
function sizeAnnotations(spec: MiniClusterSpec): Texts {
    const { annotations, maxSize, minSize } = spec;
    if (annotations[LEAST_PODS] !== undefined) {
        return { [SAME_COMPLETIONS]: "true" };
    }
    const isResizable = minSize < maxSize && annotations[ELASTIC_JOB] === undefined && topologyOf(spec) === undefined;
    return isResizable ? { [ELASTIC_JOB]: "true" } : {};
}
