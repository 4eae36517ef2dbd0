import type { Pod, Termination } from "./pod";

/** The cause of a pod's end in the words of Kubernetes or of the pod's script; undefined if neither gives one. */
export function podCause(pod: Pod): string | undefined {
    const { marks, reason }: Pick<Termination, "marks" | "reason"> = pod.terminated ?? { marks: {}, reason: "" };
    if (pod.disrupted !== undefined) {
        return `${pod.name} was removed by Kubernetes: ${pod.disrupted}`;
    }
    if (marks.error !== undefined) {
        return `${pod.name} can't start: ${marks.error}.`;
    }
    if (reason === "OOMKilled") {
        return `${pod.name} ran out of memory. Raise resources.limits.memory.`;
    }
    return undefined;
}
