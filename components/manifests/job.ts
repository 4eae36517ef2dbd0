import { labelsOf, QUEUE_LABEL } from "../../provider/contract/names";
import { compact, type KubernetesObject, sortKeys } from "../../provider/contract/object";
import type { MiniClusterSpec } from "../spec";
import { podTemplate } from "./pod";

/** The Indexed Job. It holds nothing that only the API server knows, so that preview can show all of it. */
export function job(
    spec: MiniClusterSpec,
    namespace: string,
    files: Readonly<Record<string, string>>,
): KubernetesObject {
    return sortKeys({
        apiVersion: "batch/v1",
        kind: "Job",
        metadata: compact({
            name: spec.name,
            namespace,
            labels: {
                ...(spec.queue === undefined ? {} : { [QUEUE_LABEL]: spec.queue }),
                ...spec.labels,
                ...labelsOf(spec.name),
            },
            annotations: spec.jobAnnotations,
        }),
        spec: jobSpec(spec, namespace, files),
    });
}

function jobSpec(spec: MiniClusterSpec, namespace: string, files: Readonly<Record<string, string>>): KubernetesObject {
    return compact({
        completionMode: "Indexed",
        completions: spec.size,
        parallelism: spec.size,
        backoffLimit: spec.backoffLimit,
        activeDeadlineSeconds: spec.deadlineSeconds,
        ttlSecondsAfterFinished: spec.ttlSecondsAfterFinished,
        // Kueue decides on it, and a Job that starts before it has looked would not wait for its turn.
        suspend: spec.suspend || spec.queue !== undefined,
        // Rank 0 has the command's exit code; how the others end says nothing about it.
        successPolicy: { rules: [{ succeededIndexes: "0" }] },
        // A pod that the cluster takes away is not a failure of the command.
        podFailurePolicy: { rules: [{ action: "Ignore", onPodConditions: [{ type: "DisruptionTarget", status: "True" }] }] },
        podReplacementPolicy: "Failed",
        template: podTemplate(spec, namespace, files),
    });
}
