import type { Input } from "@pulumi/pulumi";

import { QUEUE_LABEL } from "../../../provider/contract/names";
import type { KubernetesObject } from "../../../provider/contract/object";
import { validateAtLeast } from "../../rules/atLeast";
import { KEY } from "../../rules/names";
import { isLabelValue } from "../../rules/patterns";
import type { Problem } from "../../rules/problem";
import type { MiniClusterSpec, Texts } from "../../spec";
import type { Feature } from "../feature";

export interface JobArguments {
    /** Hold the Job: its pods are ended, or not started. @default false */
    suspend?: Input<boolean>;
    /** Name of a Kueue LocalQueue. It then decides on suspension and scheduling. */
    queue?: Input<string>;
    /** Seconds from its start after which Kubernetes ends the Job. @default none */
    deadlineSeconds?: Input<number>;
    /** Seconds from its end after which Kubernetes removes the Job. @default never */
    ttlSecondsAfterFinished?: Input<number>;
    /** Failed pods that are replaced before the Job fails. @default 0 with a command, else no limit */
    backoffLimit?: Input<number>;
    /**
     * Patch of the Job's pod template, for what no argument covers: objects are merged, lists of named items are merged
     * by name, other lists and values are replaced, null removes. The container is called `flux`.
     */
    podTemplate?: Input<{ [name: string]: any }>;
}

export interface Decided {
    readonly suspend: boolean;
    readonly queue?: string;
    readonly deadlineSeconds?: number;
    readonly ttlSecondsAfterFinished?: number;
    readonly backoffLimit: number;
    readonly podTemplate: KubernetesObject;
}

declare module "../../spec" {
    interface MiniClusterSpec extends Decided {}
}

/** Largest value of a Kubernetes int32 field: as good as no limit. */
const NO_LIMIT = 2147483647;

export const job: Feature<JobArguments, Decided> = {
    decide: ({ backoffLimit, deadlineSeconds, podTemplate = {}, queue, suspend = false, ttlSecondsAfterFinished }, { mode }) => ({
        suspend,
        queue,
        deadlineSeconds,
        ttlSecondsAfterFinished,
        backoffLimit: backoffLimit ?? (mode === "ephemeral" ? 0 : NO_LIMIT),
        podTemplate,
    }),

    problems: (spec) => [
        ...validateQueue(spec),
        ...validateAtLeast([
            ["backoffLimit", spec.backoffLimit, 0],
            ["deadlineSeconds", spec.deadlineSeconds, 1],
            ["ttlSecondsAfterFinished", spec.ttlSecondsAfterFinished, 0],
        ]),
    ],

    job: ({ backoffLimit, deadlineSeconds, queue, suspend, ttlSecondsAfterFinished }) => ({
        backoffLimit,
        activeDeadlineSeconds: deadlineSeconds,
        ttlSecondsAfterFinished,
        // Kueue decides on it, and a Job that starts before it has looked would not wait for its turn.
        suspend: suspend || queue !== undefined,
    }),

    jobLabels: ({ queue }): Texts => (queue === undefined ? {} : { [QUEUE_LABEL]: queue }),
};

/** A queue decides on suspension alone: `suspend` would have no effect, and the status would wait for it for ever. */
function validateQueue({ queue, suspend }: MiniClusterSpec): Problem[] {
    if (queue === undefined) {
        return [];
    }
    const problems: Problem[] = [];
    if (suspend) {
        const cure = "Remove suspend, and deactivate the Workload of the Job instead (spec.active: false), or remove queue.";
        problems.push({ property: "suspend", reason: `is true, and Kueue decides on the suspension of a Job in queue "${queue}". ${cure}` });
    }
    if (queue === "" || !isLabelValue(queue)) {
        problems.push({ property: "queue", reason: `is "${queue}"; the name of a LocalQueue has ${KEY}.` });
    }
    return problems;
}
