import { plainText } from "./plainText";
import type { Pod, Termination } from "./pod";
import { sentenceOf } from "../causes/pods";

/** The cause of a pod's end in the words of Kubernetes or of the pod's script; undefined if neither gives one. */
export function podCause(pod: Pod): string | undefined {
    const { init, marks, reason }: Pick<Termination, "init" | "marks" | "reason"> = pod.terminated ?? {
        marks: {},
        reason: "",
    };
    if (pod.disrupted !== undefined) {
        return `${pod.name} was removed by Kubernetes: ${pod.disrupted.trim()}${sentenceOf(pod.disrupted)}`;
    }
    if (marks.error !== undefined) {
        return `${pod.name} can't start: ${marks.error}.${sentenceOf(marks.error)}`;
    }
    if (reason === "OOMKilled" && init !== undefined) {
        return `The init container ${init} of ${pod.name} ran out of memory. Raise its limit of memory.`;
    }
    if (reason === "OOMKilled") {
        return `${pod.name} ran out of memory, of which files in /dev/shm are a part. Raise resources.limits.memory.`;
    }
    if (reason === "ContainerStatusUnknown") {
        return `${pod.name}'s container was lost by its node, which mostly was restarted.`;
    }
    return pod.refused === undefined ? undefined : describeRefusal(pod, pod.refused);
}

/**
 * The end of an init container of the user, or of a webhook, which keeps the pod from starting. Undefined for a pod that is
 * deleted: Kubernetes ends its containers then.
 */
export function initCause({ deleting, name, terminated }: Pod): string | undefined {
    const init = foreignInit({ terminated });
    return init === undefined || deleting
        ? undefined
        : `The init container ${init} of ${name} ended with exit code ${terminated?.exitCode}.`;
}

/** The init container that has failed and isn't of this package, whose scripts report an error. */
export function foreignInit({ terminated }: Pick<Pod, "terminated">): string | undefined {
    return terminated?.marks.error === undefined ? terminated?.init : undefined;
}

/** The refusal of a pod by its node, in the words of its kubelet. */
export function describeRefusal({ name, node }: Pod, { message, reason }: NonNullable<Pod["refused"]>): string {
    return `${name} was refused by ${node === undefined ? "its node" : `node ${node}`}: ${plainText(`${reason}: ${message}`)}`;
}
