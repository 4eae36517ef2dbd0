import { leadFor, overcome } from "../../provider/flux/lead";
import { Queue } from "../../provider/flux/queue";
import { LIMITS } from "./follow";
import { type Target, waitingFor } from "../target/target";

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
