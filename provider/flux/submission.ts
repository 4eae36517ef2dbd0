import { withGrace } from "../kubernetes/pause";
import { persist } from "../kubernetes/persist";
import { sentence } from "../kubernetes/failures/failure";
import type { LeadMark } from "../contract/lead";
import type { JobRequest } from "./job";
import { leadFor, patiently, SUBMIT_GRACE, type Waiting } from "./lead";
import { Queue } from "./queue";

/** Submits a job, also if its cluster starts or sleeps, or loses its lead meanwhile. The lead gets so many seconds. */
export async function submitJob(
    job: JobRequest,
    waiting: Waiting,
    seconds: number,
): Promise<{ jobId: string; uid: string; mark?: LeadMark }> {
    const { name, namespace } = waiting.cluster;
    try {
        return await persist(() => submitOnce(job, waiting, seconds), patiently(waiting, seconds * 1000));
    } catch (error) {
        throw new Error(`The job can't be submitted to MiniCluster ${namespace}/${name}: ${sentence(error)}.`, {
            cause: error,
        });
    }
}

async function submitOnce(job: JobRequest, waiting: Waiting, seconds: number) {
    const lead = await leadFor(waiting, seconds);
    const jobId = await withGrace(waiting.signal, SUBMIT_GRACE, (signal) => {
        return new Queue(waiting.kube, lead.container, signal).submit(job);
    });
    return { jobId, uid: lead.uid, mark: lead.mark };
}
