import { leadFor, overcome } from "../provider/flux/lead";
import { Queue } from "../provider/flux/queue";
import { sentence } from "../provider/kube/failure";
import { LIMITS } from "./followJob";
import { type Target, waitingFor } from "./target";

/** Cancels a job while its output is followed, and says if that fails. */
export function cancelJob(target: Target, jobId: string): void {
    void cancelJobs(target, [jobId])
        .then((errors) => errors.join("; "), sentence)
        .then((why) => why === "" || process.stderr.write(`minicluster: ${jobId} can't be cancelled: ${why}\n`));
}

/** Cancels jobs, also if the lead or the connection to it is lost meanwhile; returns what Flux says of those that it can't. */
export async function cancelJobs(target: Target, jobIds: readonly string[]): Promise<readonly string[]> {
    const waiting = { ...waitingFor(target), mayWake: () => false };
    const deadline = Date.now() + LIMITS.patience;
    for (;;) {
        try {
            const { container } = await leadFor(waiting, (deadline - Date.now()) / 1000);
            return await new Queue(target.kube, container, waiting.signal).cancel(jobIds);
        } catch (error) {
            await overcome(error, waiting, deadline);
        }
    }
}
