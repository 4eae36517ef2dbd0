import { sentence } from "../kubernetes/failures/failure";
import type { LeadMark } from "../contract/lead";
import type { JobRequest } from "./job";
import { overcome, type Waiting } from "./lead";
import { numberOf } from "./elements";
import { ArrayQueue, type Submitted, type Wanted } from "./arrayQueue";
import { SUBMISSION_SECONDS } from "./protocol";
import { remainder } from "./remainder";
import { notSubmitted, submitBy } from "./submission";

/** Milliseconds that a call has to end when the update is interrupted: as long as array.py submits, and a bit more. */
const ARRAY_GRACE = (SUBMISSION_SECONDS + 2) * 1000;

/** What Flux has of an array, and in which cluster. */
export interface Known extends Pick<Submitted, "jobId" | "jobIds" | "remaining" | "submitted"> {
    readonly uid: string;
    readonly mark?: LeadMark;
    /** Why elements are missing. */
    readonly incomplete?: string;
}

/**
 * Submits the wanted elements that Flux doesn't have, a part of them with each call. Throws if no call has submitted any;
 * else returns what Flux has, so that the state knows it. The lead gets so many seconds for each call.
 */
export async function submitElements(
    job: JobRequest,
    waiting: Waiting,
    { indexes, rerun, seconds }: Omit<Wanted, "begun"> & { readonly seconds: number },
): Promise<Known> {
    const check = remainder();
    let known: Known | undefined;
    let answered = Date.now();
    for (;;) {
        try {
            // Elements that fail after the first call belong to this run.
            const begun = known !== undefined;
            const wanted = { indexes, begun, rerun: rerun && !begun };
            const { submitted, ...place } = await submitBy(
                (lead, signal) => new ArrayQueue(waiting.kube, lead, signal).submit(job, wanted),
                job,
                waiting,
                { seconds, grace: ARRAY_GRACE },
            );
            const { left, refused, ...now } = submitted;
            answered = Date.now();
            if (left > 0) {
                check(left);
                waiting.report(`waits for the end of ${numberOf(left)} earlier elements`);
                continue;
            }
            known = { ...now, ...place };
            if (refused) {
                throw refused;
            }
            if (known.remaining === 0) {
                return known;
            }
            waiting.report(`submitted ${far(known, indexes)}`);
        } catch (error) {
            const deadline = answered + seconds * 1000;
            const failure = await overcome(error, waiting, deadline).then(() => undefined, asError);
            if (failure !== undefined) {
                return unfinished(failure, waiting, { indexes, known });
            }
        }
    }
}

function asError(reason: unknown): Error {
    return reason instanceof Error ? reason : new Error(String(reason));
}

interface Part {
    readonly indexes: ReadonlySet<number>;
    readonly known?: Known;
}

function unfinished(failure: Error, waiting: Waiting, { indexes, known }: Part): Known {
    const why = waiting.signal.aborted ? "the submission was interrupted" : sentence(failure);
    if (known === undefined) {
        throw notSubmitted(waiting, why, failure);
    }
    const rest = "are submitted. The next update submits the others";
    return { ...known, incomplete: `${why}; ${far(known, indexes)} ${rest}` };
}

function far({ remaining }: Known, { size }: ReadonlySet<number>): string {
    return `${numberOf(size - remaining)} of ${numberOf(size)} elements`;
}
