import { plainText } from "./plainText";
import type { Pod, Termination } from "./pod";
import { runtimeCure } from "./runtimeWords";

/** The cause of a pod's end in the words of Kubernetes or of the pod's script; undefined if neither gives one. */
export function podCause(pod: Pod): string | undefined {
    const { marks, reason }: Pick<Termination, "marks" | "reason"> = pod.terminated ?? { marks: {}, reason: "" };
    if (pod.disrupted !== undefined) {
        return `${pod.name} was removed by Kubernetes: ${pod.disrupted}`;
    }
    if (marks.error !== undefined) {
        return `${pod.name} can't start: ${marks.error}.${runtimeCure(marks.error)}`;
    }
    if (reason === "OOMKilled") {
        return `${pod.name} ran out of memory. Raise resources.limits.memory.`;
    }
    if (reason === "ContainerStatusUnknown") {
        return `${pod.name}'s container was lost by its node, which mostly was restarted.`;
    }
    return pod.refused === undefined ? undefined : describeRefusal(pod, pod.refused);
}

/** The refusal of a pod by its node, in the words of its kubelet. */
export function describeRefusal({ name, node }: Pod, { message, reason }: NonNullable<Pod["refused"]>): string {
    return `${name} was refused by ${node === undefined ? "its node" : `node ${node}`}: ${plainText(`${reason}: ${message}`)}`;
}
