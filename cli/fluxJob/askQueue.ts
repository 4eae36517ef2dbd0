import { leadFor, patiently } from "../../provider/flux/lead";
import { Queue } from "../../provider/flux/queue";
import type { Container } from "../../provider/kubernetes/streams/exec";
import { persist } from "../../provider/kubernetes/persist";
import { LIMITS } from "./follow";
import { type Target, waitingFor } from "../target/target";
import { sentence } from "../../provider/kubernetes/failures/failure";
import { say } from "../terminal/terminal";

/** Asks the lead, again if it or the connection to it is lost meanwhile. It doesn't wake a cluster. */
export async function askLead<T extends object>(
    target: Target,
    ask: (lead: Container, signal: AbortSignal) => Promise<T>,
): Promise<T> {
    const waiting = { ...waitingFor(target), mayWake: () => false };
    return persist(
        async ({ left }) => ask((await leadFor(waiting, left())).container, waiting.signal),
        patiently(waiting, LIMITS.patience),
    );
}

/** Asks Flux' queue in the same way. */
export async function askQueue<T>(target: Target, ask: (queue: Queue) => Promise<T>): Promise<T> {
    const call = async (lead: Container, signal: AbortSignal) => ({
        answer: await ask(new Queue(target.kube, lead, signal)),
    });
    return (await askLead(target, call)).answer;
}

/** Cancels a job while its output is followed, and says if that fails. Returns whether Flux has cancelled it. */
export async function cancelJob(target: Target, jobId: string): Promise<boolean> {
    const why = await askQueue(target, (queue) => queue.cancel([jobId])).then((errors) => errors.join("; "), sentence);
    if (why !== "") {
        say(`${jobId} can't be cancelled: ${why}`);
    }
    return why === "";
}
