import type { V1Pod } from "@kubernetes/client-node";

import type { TimeoutsSpec } from "../contract/timeoutsSpec";
import type { Kube } from "../kubernetes/client";
import { timerLength } from "../kubernetes/pause";
import { watchList } from "../kubernetes/watch";
import { podCause } from "../observe/pods/cause";
import { Observation } from "../observe/pods/observation";
import { type Pod, summarize } from "../observe/pods/pod";
import { nextDeadline, overdue } from "../observe/pods/trouble";
import { troubles } from "../observe/pods/troubles";
import { describeWait } from "../observe/pods/waitWords";
import { watchWarnings } from "../observe/pods/warningWatch";
import type { PodId } from "./pod";

/** The result of one look during the wait for a pod; `failure` and `done` end the wait. */
interface Look {
    readonly line: string;
    readonly done?: boolean;
    readonly failure?: string;
    /** Milliseconds since 1970 at which to look again. */
    readonly wakeAt?: number;
}

/** The rule of the wait: a pure function of what was seen and the time. */
export function lookAt(seen: Observation, name: string, timeouts: TimeoutsSpec, now: number): Look {
    const [pod] = seen.ranks();
    if (pod === undefined) {
        return { line: "deleted", failure: `${name} was deleted by another client. Update again.` };
    }
    if (pod.terminated !== undefined || pod.phase === "Failed") {
        return pod.terminated?.exitCode === 0
            ? { line: "has ended", done: true }
            : { line: "has failed", failure: whyFailed(pod) };
    }
    const all = troubles(seen, timeouts);
    return {
        line: pod.startedAt === undefined ? describeWait(pod, all, now) : "makes the key",
        failure: overdue(all, now),
        wakeAt: nextDeadline(all, now),
    };
}

function whyFailed(pod: Pod): string {
    const code = pod.terminated?.exitCode;
    const end = code === undefined ? `was ended by Kubernetes` : `ended with exit code ${code}`;
    return podCause(pod) ?? `${pod.name} ${end} and made no key.`;
}

/** Watches a pod until it has succeeded; fails if it can't succeed. */
export async function awaitEnd(
    kube: Kube,
    { name, namespace, uid }: PodId,
    timeouts: TimeoutsSpec,
    report: (line: string) => void,
    cancel: AbortSignal,
): Promise<void> {
    const now = () => kube.now().getTime();
    const seen = new Observation(uid, now());
    const stop = new AbortController();
    let last: Look = { line: "" };
    let timer: NodeJS.Timeout | undefined;
    const look = () => {
        clearTimeout(timer);
        const next = lookAt(seen, name, timeouts, now());
        if (next.line !== last.line) {
            report(next.line);
        }
        last = next;
        if (last.done || last.failure !== undefined) {
            stop.abort();
        } else if (last.wakeAt !== undefined) {
            timer = setTimeout(look, timerLength(last.wakeAt - now() + 10));
        }
    };
    const isIt = ({ metadata }: V1Pod) => metadata?.uid === uid;
    const set = (pods: readonly V1Pod[]) => {
        pods.filter(isIt).forEach((pod) => seen.setPod(summarize(pod), now()));
        look();
    };
    const gone = (pod: V1Pod) => {
        if (isIt(pod)) {
            seen.removePod(uid);
            look();
        }
    };
    const request = { kind: "pods", namespace, fieldSelector: `metadata.name=${name}` } as const;
    const handler = { listed: set, present: (pod: V1Pod) => set([pod]), gone };
    const end = AbortSignal.any([stop.signal, cancel]);
    const warnings = { namespace, fieldSelector: `involvedObject.uid=${uid}`, concerns: () => true, report };
    await Promise.all([
        watchList<V1Pod>(kube, request, handler, end),
        watchWarnings(kube, warnings, seen, look, end),
    ]).finally(() => {
        stop.abort();
        clearTimeout(timer);
    });
    if (last.failure !== undefined) {
        throw new Error(`No key was made: ${last.failure}`);
    }
    if (!last.done) {
        throw new Error(`The wait for ${name} was interrupted; the next update makes a key.`);
    }
}
