import { ELASTIC_JOB, LEAST_PODS, QUEUE_LABEL } from "../../../provider/contract/labels";
import { KEY } from "../../rules/names";
import { isLabelValue } from "../../rules/patterns";
import type { Problem } from "../../rules/problem";
import type { MiniClusterSpec } from "../../spec";

/**
 * Refuses `suspend` with a queue. Kueue alone decides on suspension, so `suspend` would have no effect and the update
 * would wait for it without end.
 */
export function validateQueue(spec: MiniClusterSpec): Problem[] {
    const { queueName: queue, suspend } = spec;
    const ofPods = validatePods(spec);
    if (queue === undefined) {
        return ofPods;
    }
    const problems = [...ofPods, ...validateLeastPods(spec), ...validateElastic(spec)];
    const label = spec.labels[QUEUE_LABEL] ?? queue;
    if (label !== queue) {
        const reason = `is "${label}", but queueName is "${queue}". Remove one of the two.`;
        problems.push({ property: `labels.${QUEUE_LABEL}`, reason });
    }
    if (suspend) {
        const cure =
            "Remove suspend and deactivate the Workload of the Job instead (spec.active: false), or remove queueName.";
        problems.push({
            property: "suspend",
            reason: `is true, but Kueue decides on the suspension of a Job with a queueName, here "${queue}". ${cure}`,
        });
    }
    if (queue === "" || !isLabelValue(queue)) {
        problems.push({ property: "queueName", reason: `is "${queue}"; the name of a LocalQueue has ${KEY}.` });
    }
    return problems;
}

/** Refuses Kueue's label on the pods alone. Kueue then admits each pod by itself, so a cluster may hold a part of its quota. */
function validatePods({ podLabels, queueName }: MiniClusterSpec): Problem[] {
    const label = podLabels[QUEUE_LABEL];
    if (label === undefined || label === queueName) {
        return [];
    }
    const cure =
        queueName === undefined ? `Give queueName: "${label}" in its place` : `Remove it; queueName is "${queueName}"`;
    const reason = `is "${label}", but with the label on its pods Kueue doesn't admit a cluster as a whole. ${cure}.`;
    return [{ property: `podLabels.${QUEUE_LABEL}`, reason }];
}

/** Annotations of pods with which Kueue resizes no Job in place. */
const TOPOLOGIES = ["kueue.x-k8s.io/podset-required-topology", "kueue.x-k8s.io/podset-preferred-topology"];

/** The annotation of the pods with which Kueue resizes no Job in place. */
export function topologyOf({ podAnnotations }: MiniClusterSpec): string | undefined {
    return TOPOLOGIES.find((name) => podAnnotations[name] !== undefined);
}

/** A cluster that sizes itself would lose all of its pods whenever it grows. */
function validateElastic(spec: MiniClusterSpec): Problem[] {
    const { annotations, elastic } = spec;
    if (elastic === undefined) {
        return [];
    }
    const topology = topologyOf(spec);
    const text = annotations[ELASTIC_JOB] ?? "true";
    const problems: Problem[] = [];
    if (topology !== undefined) {
        const reason = "is given, but with it Kueue resizes no Job in place. Remove it, or elastic.";
        problems.push({ property: `podAnnotations.${topology}`, reason });
    }
    if (text !== "true") {
        const reason = `is "${text}", but then Kueue ends all pods when elastic changes their number. Remove it, or elastic.`;
        problems.push({ property: `annotations.${ELASTIC_JOB}`, reason });
    }
    if (elastic.sleepAfter !== undefined && spec.activeDeadlineSeconds !== undefined) {
        const reason =
            "is given, but in a queue the time of sleep counts too, so Kubernetes would end the cluster in its sleep. " +
            "Remove it, or elastic.sleepAfter, or queueName.";
        problems.push({ property: "activeDeadlineSeconds", reason });
    }
    return problems;
}

/** Partial admission starts a Job with fewer pods, for its whole run. */
function validateLeastPods({ annotations, elastic, maxSize, minSize, size }: MiniClusterSpec): Problem[] {
    const text = annotations[LEAST_PODS];
    if (text === undefined) {
        return [];
    }
    const property = `annotations.${LEAST_PODS}`;
    if (elastic !== undefined || maxSize !== size || annotations[ELASTIC_JOB] === "true") {
        const reason =
            "is given, but Kueue resizes no Job that it has started with fewer pods. Remove it, or maxSize and elastic.";
        return [{ property, reason }];
    }
    if (minSize >= size) {
        return [{ property, reason: `is given, but minSize is ${minSize}, and size ${size}. Set minSize below size.` }];
    }
    const least = Number(text);
    return Number.isInteger(least) && least >= minSize && least < size
        ? []
        : [
              {
                  property,
                  reason: `is "${text}"; it must be a number from minSize ${minSize} to ${size - 1}, below size.`,
              },
          ];
}
