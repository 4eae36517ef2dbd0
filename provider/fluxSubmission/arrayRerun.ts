import { warner } from "../engine/log";
import { ArrayQueue } from "../flux/arrayQueue";
import { countOf, numberOf } from "../flux/elements";
import { leadFor, type Waiting } from "../flux/lead";
import { allUnfinished, lostOf, type Standing, standingOf } from "../flux/standing";
import { retry } from "../kube/client";
import { nameOf } from "./arrayFailure";
import type { FluxSubmissionInputs, FluxSubmissionOutputs } from "./properties";

/** True if elements are missing or are to run again. Then an update submits only these. */
export function needsSubmission(olds: FluxSubmissionOutputs, news: FluxSubmissionInputs): boolean {
    return olds.phase === "lost" || missingOf(olds) > 0 || runsAgain(olds, news);
}

/** True if the failed elements are to run again. */
export function runsAgain({ elements, phase }: FluxSubmissionOutputs, { rerunFailed }: FluxSubmissionInputs): boolean {
    return rerunFailed === true && (phase === "failed" || phase === "lost") && (elements?.failed ?? 0) > 0;
}

/** Number of elements without a known end that Flux doesn't have. */
function missingOf({ elements, ...inputs }: FluxSubmissionOutputs): number {
    return elements === undefined ? countOf(inputs) : lostOf(elements);
}

/** Says why elements are submitted again. Only a warning can show the reason in a preview. */
export function explainSubmission(olds: FluxSubmissionOutputs, news: FluxSubmissionInputs): void {
    const [warn, count] = [warner(news.resourceUrn, news.jobName), numberOf(countOf(olds))];
    const missing = missingOf(olds);
    if (missing > 0) {
        warn(`${numberOf(missing)} of ${count} elements are submitted, which its cluster doesn't have.`);
    }
    if (runsAgain(olds, news)) {
        const how = standingOf(olds.elements) === undefined ? ` ${UNLISTED}, so Flux is asked for them.` : "";
        warn(`${numberOf(olds.elements?.failed ?? 0)} of ${count} elements are submitted again: they failed.${how}`);
    }
}

const UNLISTED = "The state is of an earlier version and doesn't list them";

/**
 * How the elements have ended. If a state of version 0.2 doesn't list the failed elements, Flux is asked: they are those
 * that have failed there, and those that an interrupted update has removed.
 */
export async function findStanding(olds: FluxSubmissionOutputs, waiting: Waiting): Promise<Standing> {
    const known = standingOf(olds.elements);
    if (known !== undefined || olds.phase !== "failed") {
        return known ?? allUnfinished(countOf(olds));
    }
    const { failed, failures, unfinished } = await askStanding(olds, waiting);
    const gone = new Set([...failed, ...unfinished]);
    const count = olds.elements?.failed ?? 0;
    if (gone.size !== count) {
        throw new Error(
            `The ${numberOf(count)} failed elements of ${nameOf(olds)} can't be submitted again: the state is of an earlier ` +
                "version and doesn't list them, and Flux doesn't have them all. Change triggers to run all elements again.",
        );
    }
    return { failed: gone, unfinished: new Set(), failures };
}

/** How the elements have ended by Flux' own records. */
async function askStanding(inputs: FluxSubmissionInputs, waiting: Waiting): Promise<Standing> {
    const { container } = await leadFor(waiting, inputs.timeouts.ready);
    const queue = new ArrayQueue(waiting.kube, container, waiting.signal);
    const progress = await retry(() => queue.watch(inputs, 0));
    return standingOf(progress?.elements) ?? allUnfinished(countOf(inputs));
}
