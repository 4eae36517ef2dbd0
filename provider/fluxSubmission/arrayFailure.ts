import type { ElementsStatus, FailedElement } from "../contract/elementsStatus";
import { type ArrayProgress, describeProgress } from "../flux/arrayProgress";
import { arrayName, countOf, elementName, numberOf } from "../flux/elements";
import type { Ended } from "../flux/follow";
import type { JobPhase } from "../flux/job";
import { lostOf } from "../flux/standing";
import { endOf } from "./failure";
import type { FluxSubmissionInputs, JobRecord } from "./properties";

/** Failed elements whose log an error shows. */
const LOGS = 3;

type Inputs = Pick<FluxSubmissionInputs, "array" | "cluster" | "jobName" | "secretOutput" | "timeouts">;

/** Describes why a wait ended without a success of all elements; undefined if all have succeeded. */
export function describeArrayEnd(ended: Ended<ArrayProgress>, phase: JobPhase, inputs: Inputs): string | undefined {
    const { progress, unfinished } = ended;
    const far = progress === undefined ? `phase: ${phase}` : describeProgress(progress.elements);
    if (unfinished === "interrupted") {
        return `The wait for ${arrayName(inputs)} was interrupted (${far}). The next update resumes the wait.`;
    }
    if (unfinished === "timeout") {
        const limit = `${inputs.timeouts.completed} s (timeouts.completed)`;
        const rest = "It is not cancelled; the next update resumes the wait.";
        return `The ${arrayName(inputs)} has not finished within ${limit} (${far}). ${rest}`;
    }
    if (phase === "lost" || progress === undefined) {
        const lost = progress === undefined ? countOf(inputs) : lostOf(progress.elements);
        const what = `${numberOf(lost)} of ${numberOf(countOf(inputs))} elements of ${arrayName(inputs)} were lost`;
        return `${what}: its cluster has no record of them. The next update submits them again.`;
    }
    return phase === "succeeded" ? undefined : describeFailures(progress.elements, inputs);
}

/** Describes the failure of an array that the state records. */
export function describeRecord({ elements, reason }: Pick<JobRecord, "elements" | "reason">, inputs: Inputs): string {
    return elements === undefined ? `The ${arrayName(inputs)} failed: ${reason}.` : describeFailures(elements, inputs);
}

function describeFailures({ count, failed, failures }: ElementsStatus, inputs: Inputs): string {
    const more = failed - failures.length;
    return [
        `${numberOf(failed)} of ${numberOf(count)} elements of ${arrayName(inputs)} failed.`,
        ...failures.map((failure, rank) => describeFailure(failure, inputs, rank < LOGS)),
        ...(more > 0 ? [`And ${numberOf(more)} more.`] : []),
    ].join("\n");
}

function describeFailure({ index, jobId, output, reason }: FailedElement, inputs: Inputs, withLog: boolean): string {
    const name = elementName(inputs, index).replace(/^e/, "E");
    return `${name}, job ${jobId}: ${reason}.${withLog ? endOf(reason, output, inputs) : ""}`;
}
