import type { Pod, Termination } from "./pod";

/** Lines of the log in an error message. */
const LOG_LINES = 20;

/** Why a Job failed, as a person would say it: what happened, to which pod, and the end of its log, unless that is secret. */
export function describeFailure(kubernetes: string, ranks: readonly Pod[], log: string, isSecret = false): string {
    const cause = ownCause(kubernetes) ?? firstCause(ranks) ?? leadCause(ranks) ?? followerCause(ranks) ?? kubernetes;
    if (log.trim() === "") {
        return cause;
    }
    if (isSecret) {
        return `${cause}\noutput.secret keeps rank 0's log out of this message; npx minicluster log prints it.`;
    }
    const lines = log.trimEnd().split("\n").slice(-LOG_LINES);
    return `${cause}\nThe end of rank 0's log:\n${lines.map((line) => `  ${line}`).join("\n")}`;
}

/** Kubernetes ends the pods then, and how they end says nothing. */
function ownCause(kubernetes: string): string | undefined {
    return kubernetes.startsWith("DeadlineExceeded") ? `${kubernetes} (deadlineSeconds is the argument for it)` : undefined;
}

/** A lost rank takes the command with it, so what happened to any rank tells more than the command's exit code. */
function firstCause(ranks: readonly Pod[]): string | undefined {
    return ranks.map(podCause).find((cause) => cause !== undefined);
}

function leadCause(ranks: readonly Pod[]): string | undefined {
    const lead = ranks.find(({ rank }) => rank === 0);
    if (lead?.terminated === undefined || lead.terminated.exitCode === 0) {
        return undefined;
    }
    const { marks, reason } = lead.terminated;
    if (marks.quorum === undefined) {
        return `${lead.name}'s broker ended with exit code ${lead.terminated.exitCode} before it had its quorum.`;
    }
    return `The command ended with exit code ${lead.terminated.exitCode}${reason === "Error" ? "" : ` (${reason})`}.`;
}

function followerCause(ranks: readonly Pod[]): string | undefined {
    const failed = ranks.find((pod) => pod.rank > 0 && pod.terminated !== undefined && pod.terminated.exitCode !== 0);
    if (failed === undefined) {
        return undefined;
    }
    return `${failed.name} ended with exit code ${failed.terminated?.exitCode}.`;
}

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
