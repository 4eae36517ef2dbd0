import type { Pod, Termination } from "./pod";

/** What Kubernetes or the wait script know better than the exit code does. */
export function podCause(pod: Pod): string | undefined {
    const { marks, reason }: Pick<Termination, "marks" | "reason"> = pod.terminated ?? { marks: {}, reason: "" };
    if (pod.disrupted !== undefined) {
        return `${pod.name} was taken away by the cluster: ${pod.disrupted}`;
    }
    if (marks.error !== undefined) {
        return `${pod.name} can't start: ${marks.error}.`;
    }
    if (reason === "OOMKilled") {
        return `${pod.name} ran out of memory. Raise resources.limits.memory.`;
    }
    return undefined;
}
