import { sentence } from "../kube/failure";
import { withGrace } from "../kube/pause";
import type { FluxSubmissionInputs } from "./properties";
import { leadFor, overcome, SUBMIT_GRACE, type Waiting } from "./wait";
import { numberOf } from "./elements";
import { ArrayQueue, type Submitted, type Wanted } from "./arrayQueue";
import { remainder } from "./remainder";

/** What Flux has of an array, and in which cluster. */
export interface Known extends Pick<Submitted, "jobId" | "jobIds" | "remaining" | "submitted"> {
    readonly uid: string;
    /** Why elements are missing. */
    readonly incomplete?: string;
}

/**
 * Submits the wanted elements that Flux doesn't have, a part of them with each call. Throws if no call has submitted any;
 * else returns what Flux has, so that the state knows it.
 */
export async function submitElements(
    inputs: FluxSubmissionInputs,
    waiting: Waiting,
    { indexes, rerun }: Omit<Wanted, "begun">,
): Promise<Known> {
    const check = remainder();
    let known: Known | undefined;
    let answered = Date.now();
    for (;;) {
        try {
            // Elements that fail after the first call belong to this run.
            const begun = known !== undefined;
            const wanted = { indexes, begun, rerun: rerun && !begun };
            const { left, refused, ...now } = await submitOnce(inputs, waiting, wanted);
            answered = Date.now();
            if (left > 0) {
                check(left);
                waiting.report(`waits for the end of ${numberOf(left)} earlier elements`);
                continue;
            }
            known = now;
            if (refused) {
                throw refused;
            }
            if (known.remaining === 0) {
                return known;
            }
            waiting.report(`submitted ${far(known, indexes)}`);
        } catch (error) {
            const deadline = answered + inputs.timeouts.ready * 1000;
            const failure = await overcome(error, waiting, deadline).then(() => undefined, asError);
            if (failure !== undefined) {
                return unfinished(failure, inputs, waiting, { indexes, known });
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

function unfinished(
    failure: Error,
    inputs: FluxSubmissionInputs,
    { signal }: Waiting,
    { indexes, known }: Part,
): Known {
    const why = signal.aborted ? "the submission was interrupted" : sentence(failure);
    if (known === undefined) {
        const { name, namespace } = inputs.cluster;
        throw new Error(`The job can't be submitted to MiniCluster ${namespace}/${name}: ${why}.`, { cause: failure });
    }
    const rest = "are submitted. The next update submits the others";
    return { ...known, incomplete: `${why}; ${far(known, indexes)} ${rest}` };
}

function far({ remaining }: Known, { size }: ReadonlySet<number>): string {
    return `${numberOf(size - remaining)} of ${numberOf(size)} elements`;
}

async function submitOnce(inputs: FluxSubmissionInputs, waiting: Waiting, wanted: Wanted) {
    const lead = await leadFor(waiting, inputs.timeouts.ready);
    const submitted = await withGrace(waiting.signal, SUBMIT_GRACE, (signal) =>
        new ArrayQueue(waiting.kube, lead.container, signal).submit(inputs, wanted),
    );
    return { ...submitted, uid: lead.uid };
}
