import { warner } from "../host/log";
import { countOf, numberOf } from "../flux/elements";
import { lostOf } from "../flux/standing";
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
        warn(`${numberOf(olds.elements?.failed ?? 0)} of ${count} elements are submitted again: they failed.`);
    }
}
