import type { Container } from "../kubernetes/streams/exec";
import { withGrace } from "../kubernetes/pause";
import { persist } from "../kubernetes/persist";
import { sentence } from "../kubernetes/failures/failure";
import type { LeadMark } from "../contract/lead";
import { withCode } from "./code/archives";
import type { JobRequest } from "./job";
import { leadFor, patiently, type Waiting } from "./lead";
import { Queue } from "./queue";

/** Milliseconds that a submission has to end when the update is interrupted, so that the job gets into the state. */
const SUBMIT_GRACE = 3000;

/** Submits a job, also if its cluster starts or sleeps, or loses its lead meanwhile. The lead gets so many seconds. */
export async function submitJob(
    job: JobRequest,
    waiting: Waiting,
    seconds: number,
): Promise<{ jobId: string; uid: string; mark?: LeadMark }> {
    const submit = (lead: Container, signal: AbortSignal) => new Queue(waiting.kube, lead, signal).submit(job);
    const submitOnce = () => submitBy(submit, job, waiting, { seconds, grace: SUBMIT_GRACE });
    try {
        const { submitted: jobId, ...place } = await persist(submitOnce, patiently(waiting, seconds * 1000));
        return { jobId, ...place };
    } catch (error) {
        throw notSubmitted(waiting, sentence(error), error);
    }
}

/** What has been submitted by one call, and to which cluster. */
export interface Call<T> {
    readonly submitted: T;
    readonly uid: string;
    readonly mark?: LeadMark;
}

/** Submits by one call of the lead, and sends the code that the lead doesn't have before it calls once more. */
export async function submitBy<T>(
    submit: (lead: Container, signal: AbortSignal) => Promise<T>,
    { code }: JobRequest,
    waiting: Waiting,
    { grace, seconds }: { readonly grace: number; readonly seconds: number },
): Promise<Call<T>> {
    const { container, mark, uid } = await leadFor(waiting, seconds);
    const submitted = await withGrace(waiting.signal, grace, (signal) =>
        withCode({ kube: waiting.kube, lead: container, signal }, code, () => submit(container, signal)),
    );
    return { submitted, uid, mark };
}

/** The error of a submission of which Flux has nothing. */
export function notSubmitted({ cluster: { name, namespace } }: Waiting, why: string, cause: unknown): Error {
    return new Error(`The job can't be submitted to MiniCluster ${namespace}/${name}: ${why}.`, { cause });
}
