import type { V1Pod } from "@kubernetes/client-node";

import { FLUX_CONTAINER } from "../../provider/contract/names";
import { type Kube, retry } from "../../provider/kubernetes/client";
import type { Container } from "../../provider/kubernetes/streams/exec";
import { ending } from "../../provider/kubernetes/job";
import { heldBy, isHeld } from "../../provider/kubernetes/sleep";
import { signalOf } from "../../provider/observe/pods/killed";
import type { Pod } from "../../provider/observe/pods/pod";
import { ranksOf } from "../../provider/observe/ranks";
import { programName } from "../definition/programName";
import { jobOf, type Target } from "./target";

/** The pod of a rank. The error for a missing rank says why the cluster has none, or lists the existing ranks. */
export async function rankOf(target: Target, rank: number): Promise<Pod> {
    const ranks = await ranksOf(target.kube, target);
    const pod = ranks.find((candidate) => candidate.rank === rank);
    if (pod === undefined) {
        throw new Error(await whyNot(target, rank, ranks));
    }
    return pod;
}

async function whyNot(target: Target, rank: number, ranks: readonly Pod[]): Promise<string> {
    const job = await jobOf(target);
    const cluster = `MiniCluster ${target.namespace}/${target.name}`;
    if (ending(job) !== undefined) {
        return `${cluster} has ended, and the pod of rank ${rank} isn't there any more. Change its triggers to run it again.`;
    }
    if (isHeld(job)) {
        const held = heldBy(job);
        const cure = held === "asleep" ? ` ${programName()} wake wakes it.` : "";
        return `${cluster} is ${held}, so it has no pods.${cure}`;
    }
    const there = ranks.length === 0 ? "it has no pods" : `it has ${ranks.map((each) => each.rank).join(", ")}`;
    return `${cluster} has no rank ${rank}; ${there}.`;
}

/** The container of a rank that runs. */
export async function containerOf(target: Target, rank: number): Promise<Container> {
    const { name: pod, phase, terminated } = await rankOf(target, rank);
    const { name, namespace } = target;
    if (terminated !== undefined || ["Failed", "Succeeded"].includes(phase)) {
        const hasEnded = ending(await jobOf(target)) !== undefined;
        throw new Error(
            hasEnded
                ? `MiniCluster ${namespace}/${name} has ended. Change its triggers to run it again; ` +
                      `${programName()} logs ${name} ${rank} prints the log of rank ${rank}.`
                : `The pod ${pod} of rank ${rank} has ended, and the next one isn't there yet.`,
        );
    }
    return { namespace, pod, container: FLUX_CONTAINER };
}

/** A pod by its name; undefined if it doesn't exist. The Role in docs/rbac.yaml has the right to list pods, not to get one. */
export async function findPod(kube: Kube, namespace: string, name: string): Promise<V1Pod | undefined> {
    const fieldSelector = `metadata.name=${name}`;
    const list = () => kube.core.listNamespacedPod({ namespace, fieldSelector });
    return (await retry(list, kube.patience.tries)).items.at(0);
}

/** State of a rank, in one or a few words. */
export function stateOf(pod: Pod): string {
    if (pod.terminated !== undefined) {
        return endState(pod.terminated.exitCode);
    }
    if (pod.silentSince !== undefined) {
        return "node lost";
    }
    if (pod.deleting) {
        return "ending";
    }
    if (pod.readyAt !== undefined) {
        return "ready";
    }
    return pod.waiting?.reason || (pod.unschedulable === undefined ? pod.phase.toLowerCase() : "unschedulable");
}

/** State of a rank that has ended. */
export function endState(exitCode: number): string {
    const signal = signalOf(exitCode);
    return `exit code ${exitCode}${signal === undefined ? "" : ` (${signal})`}`;
}
