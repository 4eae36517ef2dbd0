import { cancellation } from "../host/cancel";
import { reporter, warner } from "../host/log";
import type { Kube } from "../kubernetes/client";
import type { Container } from "../kubernetes/streams/exec";
import { pause } from "../kubernetes/pause";
import { FORGET, mayForget } from "../kubernetes/kubeconfig/unreachable";
import type { KnownJob } from "../observe/job";
import { type Away, findLead } from "../observe/pods/lead";
import { isPassing, PAUSE } from "./lead";
import { remainder } from "./remainder";

/** What a deletion removes from the queue of a cluster. */
export interface Removal {
    readonly cluster: KnownJob;
    /** The subject of a warning, such as `Flux job f123`. */
    readonly what: string;
    readonly jobName: string;
    readonly resourceUrn?: string;
    /** When the tries after temporary errors end, in milliseconds since 1970. */
    readonly deadline: number;
    /** True if nothing of it can run, wherever it is. */
    readonly isFinished: boolean;
    /** Removes it by one call. Tells how many jobs are left for another one. */
    act(lead: Container): Promise<number>;
    /** True if a lead that is away is worth another look. */
    awaits(lead: Away): boolean | Promise<boolean>;
}

/** Removes work from its cluster. A cluster that has ended, or has lost its queue with rank 0, has none. */
export async function removeFrom(kube: Kube, removal: Removal): Promise<void> {
    const check = remainder();
    const { name, namespace } = removal.cluster;
    const report = reporter(removal.resourceUrn, removal.jobName);
    const signal = cancellation();
    for (;;) {
        const lead = await findLead(kube, removal.cluster);
        if (lead.state === "ready") {
            const left = await actOnce(removal, lead.container);
            if (left === 0) {
                return;
            }
            if (left !== undefined) {
                check(left);
            }
        } else if (lead.state !== "away" || !(await removal.awaits(lead))) {
            if (lead.state === "unknown" && !removal.isFinished) {
                forget(lead.why, removal);
            }
            return;
        }
        signal.throwIfAborted();
        if (lead.state === "away") {
            report(`waits for MiniCluster ${namespace}/${name}: ${lead.why}`);
        }
        await pause(PAUSE, signal);
    }
}

/** Undefined after a temporary error, after which the call is tried again. */
async function actOnce(removal: Removal, lead: Container): Promise<number | undefined> {
    try {
        return await removal.act(lead);
    } catch (error) {
        if (!isPassing(error) || Date.now() >= removal.deadline) {
            throw error;
        }
        return undefined;
    }
}

/** Fails for a job that may still run in another cluster, unless the user has allowed to drop it. */
function forget(why: string, { jobName, resourceUrn, what }: Removal): void {
    if (!mayForget()) {
        throw new Error(
            `${why}, so it may still run in another cluster. Give the FluxJob the kubeconfig and the context of its ` +
                `MiniCluster. If that doesn't exist any more, ${FORGET}`,
        );
    }
    warner(resourceUrn, jobName)(`${what} is removed from the state: ${why}.`);
}
