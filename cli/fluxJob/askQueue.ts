import { leadFor, overcome } from "../../provider/flux/lead";
import { Queue } from "../../provider/flux/queue";
import { LIMITS } from "./follow";
import { type Target, waitingFor } from "../target/target";
import { sentence } from "../../provider/kube/failure";
import { say } from "../terminal/terminal";

/** Asks Flux' queue, again if the lead or the connection to it is lost meanwhile. It doesn't wake a cluster. */
export async function askQueue<T>(target: Target, ask: (queue: Queue) => Promise<T>): Promise<T> {
    const waiting = { ...waitingFor(target), mayWake: () => false };
    const deadline = Date.now() + LIMITS.patience;
    for (;;) {
        try {
            const { container } = await leadFor(waiting, (deadline - Date.now()) / 1000);
            return await ask(new Queue(target.kube, container, waiting.signal));
        } catch (error) {
            await overcome(error, waiting, deadline);
        }
    }
}

/** Cancels a job while its output is followed, and says if that fails. */
export function cancelJob(target: Target, jobId: string): void {
    void askQueue(target, (queue) => queue.cancel([jobId]))
        .then((errors) => errors.join("; "), sentence)
        .then((why) => why === "" || say(`${jobId} can't be cancelled: ${why}`));
}
