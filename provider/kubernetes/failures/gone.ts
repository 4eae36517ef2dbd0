import type { KubernetesObject } from "@kubernetes/client-node";

import type { Kube } from "../client";
import { hasCode, isNotFound } from "./failure";
import { timerLength } from "../pause";
import { watchList } from "../watch";

const KINDS = { jobs: "Job", pods: "Pod" } as const;

/** What ends a wait before its time. */
export interface Limits {
    readonly timeoutSeconds: number;
    /** Aborts when the user interrupts the update. */
    readonly interrupted: AbortSignal;
    /** What keeps the object, for the error. @default a pod that doesn't end */
    readonly why?: () => Promise<string | undefined>;
    /** Called when the object changes meanwhile. */
    readonly changed?: () => void;
}

/**
 * Waits until an object that is being deleted doesn't exist any more. A Job is removed after its pods. Fails if the user
 * interrupts the update: the object then stays in the state, and the next update or destroy waits again.
 */
export async function awaitGone(
    kube: Kube,
    kind: keyof typeof KINDS,
    { name, namespace, uid }: { readonly namespace: string; readonly name: string; readonly uid: string },
    { changed = () => undefined, interrupted, timeoutSeconds, why: explain }: Limits,
): Promise<void> {
    const stop = new AbortController();
    let gone = false;
    const isIt = (candidate: KubernetesObject) => candidate.metadata?.uid === uid;
    const finish = () => {
        gone = true;
        stop.abort();
    };
    const timer = setTimeout(() => stop.abort(), timerLength(timeoutSeconds * 1000));
    await watchList<KubernetesObject>(
        kube,
        { kind, namespace, fieldSelector: `metadata.name=${name}` },
        {
            present: changed,
            gone: (candidate) => (isIt(candidate) ? finish() : undefined),
            listed: (objects) => (objects.some(isIt) ? undefined : finish()),
        },
        AbortSignal.any([stop.signal, interrupted]),
    ).finally(() => clearTimeout(timer));
    if (!gone && interrupted.aborted) {
        const why = (interrupted.reason as Error).message;
        throw new Error(
            `${KINDS[kind]} ${namespace}/${name} is being deleted and still exists: ${why}. Run the command again; it goes on.`,
        );
    }
    if (!gone) {
        const selector = kind === "jobs" ? `-l batch.kubernetes.io/job-name=${name}` : name;
        const cause = (await explain?.()) ?? "a pod does not end";
        throw new Error(
            `${KINDS[kind]} ${namespace}/${name} still exists ${timeoutSeconds} s after it was deleted; ${cause}. ` +
                `Look at kubectl get pods -n ${namespace} ${selector}, or raise timeouts.delete.`,
        );
    }
}

/**
 * True if a deletion by UID failed because the object doesn't exist any more: no object, or another one, has its name.
 */
export async function isGone(
    error: unknown,
    uid: string,
    look: () => Promise<KubernetesObject | undefined>,
): Promise<boolean> {
    // A conflict may have another cause; the object then still exists.
    return isNotFound(error) || (hasCode(error, 409) && (await look())?.metadata?.uid !== uid);
}
