import { waitsInTrouble } from "./observation";
import type { Pod } from "./pod";
import { isTold, type Trouble } from "./trouble";

/** Why the cluster waits for its pods: for one that hasn't started, or for one that Kubernetes can't create. */
export interface Awaited {
    readonly pod?: Pod;
    /** The words of a progress line, after the pod's name if there is a pod. */
    readonly words: string;
}

/** The first pod with a problem, else why there is no pod, else the first pod; of pods that haven't started. */
export function awaited(slow: readonly Pod[], all: readonly Trouble[], now: number): Awaited | undefined {
    const told = new Set(all.filter((trouble) => isTold(trouble, now)).map(({ pod }) => pod?.uid));
    const troubled = slow.find(({ uid }) => told.has(uid));
    const creation = all.find(({ pod }) => pod === undefined);
    if (troubled === undefined && creation !== undefined) {
        return { words: creation.row };
    }
    const pod = troubled ?? slow.at(0);
    return pod === undefined ? undefined : { pod, words: describeWait(pod, all, now) };
}

/** The words for a pod that hasn't started: its newest problem, else what it waits for, as Kubernetes calls it. */
export function describeWait(pod: Pod, all: readonly Trouble[], now: number): string {
    const row = all.findLast((trouble) => trouble.pod?.uid === pod.uid && isTold(trouble, now))?.row;
    if (row !== undefined) {
        return row;
    }
    if (pod.node === undefined) {
        return "Pending";
    }
    return (waitsInTrouble(pod) ? undefined : pod.waiting?.reason) ?? "ContainerCreating";
}
