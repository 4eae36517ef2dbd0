import { withGrace } from "../kube/pause";
import { sentence } from "../kube/failure";
import type { FluxSubmissionInputs } from "./properties";
import { Queue } from "./queue";
import { leadFor, overcome, SUBMIT_GRACE, type Waiting } from "./wait";

/** Submits a job, also if its cluster starts or sleeps, or loses its lead meanwhile. */
export async function submitJob(
    inputs: FluxSubmissionInputs,
    waiting: Waiting,
): Promise<{ jobId: string; uid: string }> {
    const { name, namespace } = inputs.cluster;
    const deadline = Date.now() + inputs.timeouts.ready * 1000;
    try {
        for (;;) {
            const submitted = await submitOnce(inputs, waiting).catch((error: unknown) =>
                overcome(error, waiting, deadline),
            );
            if (submitted !== undefined) {
                return submitted;
            }
        }
    } catch (error) {
        throw new Error(`The job can't be submitted to MiniCluster ${namespace}/${name}: ${sentence(error)}.`, {
            cause: error,
        });
    }
}

async function submitOnce(inputs: FluxSubmissionInputs, waiting: Waiting) {
    const lead = await leadFor(waiting, inputs.timeouts.ready);
    const jobId = await withGrace(waiting.signal, SUBMIT_GRACE, (signal) => {
        return new Queue(waiting.kube, lead.container, signal).submit(inputs);
    });
    return { jobId, uid: lead.uid };
}
