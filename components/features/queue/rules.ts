import { ELASTIC_JOB, LEAST_PODS } from "../../../provider/contract/labels";
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
    if (queue === undefined) {
        return [];
    }
    const problems = validateLeastPods(spec);
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
