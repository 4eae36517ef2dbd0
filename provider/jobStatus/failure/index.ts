import type { RecordedFailure } from "../../contract/record/runRecord";
import { foreignLine } from "../../contract/foreignText";
import { foreignInit, initCause, podCause } from "../../observe/pods/cause";
import { killedCause } from "../../observe/pods/killed";
import type { Loss } from "../../observe/pods/losses";
import { plainText } from "../../observe/pods/plainText";
import type { Pod } from "../../observe/pods/pod";
import { sharedMemoryHint } from "../../observe/pods/sharedMemory";
import { meaningOf, tellingLines } from "../../observe/causes/brokers";
import type { JobStatusInputs } from "../properties";

/** Lines of a log in an error message. */
const LOG_LINES = 20;
/** The same for a broker that never reached its quorum. */
const START_LINES = 8;
/** Milliseconds by which the clocks of the API server and of a node may differ. */
const SKEW = 1000;
/** Characters of what a program wrote into the termination message. */
const MOST_WORDS = 500;

/** The end of a pod's log. */
export interface Log {
    readonly pod: Pod;
    readonly text: string;
    /** True if the broker never reached its quorum. */
    readonly isStart: boolean;
}

/**
 * Why a Job failed: what happened, and to which pod. `kubernetes` is the cause in Kubernetes' words. `losses` are pods that
 * may be gone by now; only a wait knows them.
 */
export function causeOf(kubernetes: string, ranks: readonly Pod[], losses: readonly Loss[] = []): string {
    return (
        ownCause(kubernetes) ??
        firstCause(ranks) ??
        firstKill(ranks) ??
        firstInit(ranks) ??
        lossCause(ranks, losses) ??
        leadCause(ranks) ??
        followerCause(ranks) ??
        kubernetes
    );
}

/** Why a Job and its pods have failed. `kubernetes` is the Job's end in Kubernetes' words; undefined if it has not failed. */
export function failuresOf(
    kubernetes: string | undefined,
    pods: readonly Pod[],
    losses: readonly Loss[] = [],
    ranks = pods,
): RecordedFailure[] {
    const ofCluster =
        kubernetes === undefined ? [] : [{ about: "Cluster", message: causeOf(kubernetes, ranks, losses) }];
    const ofPods = pods.flatMap((pod) => {
        const message = podCause(pod) ?? killedCause(pod) ?? initCause(pod);
        return message === undefined ? [] : [{ about: pod.name, message: plainText(message) }];
    });
    const said = new Set(ofCluster.map(({ message }) => message));
    return [...ofCluster, ...ofPods.filter(({ message }) => !said.has(message))];
}

/** A failure's message: its cause, the meaning of the log if it is known, and the end of the log if it may be shown. */
export function describeFailure(
    reason: string,
    log: Log | undefined,
    { maxBytes, secretOutput }: Pick<JobStatusInputs, "maxBytes" | "secretOutput">,
): string {
    const cause = reason + hintOf(reason, log);
    if (log === undefined) {
        return cause;
    }
    if (log.text.trim() === "") {
        return [cause, ...(secretOutput || maxBytes === 0 ? [] : lastWords(log))].join("\n");
    }
    const said = explained(cause, log);
    if (secretOutput) {
        return [...said, hidden(log.pod)].join("\n");
    }
    return maxBytes === 0
        ? said.join("\n")
        : [...said, ...lastWords(log), `The end of ${ownerOf(log.pod)} log:`, ...endOf(log)].join("\n");
}

function hintOf(cause: string, log: Log | undefined): string {
    return log?.isStart ? "" : sharedMemoryHint(cause, log?.text ?? "");
}

/** The cause and what the log means. */
function explained(cause: string, { isStart, pod, text }: Log): string[] {
    const meaning = isStart && !isExplained(pod) ? meaningOf(text) : undefined;
    return meaning === undefined ? [cause] : [cause, `${pod.name}: ${meaning}`];
}

/**
 * True if the cause of the pod's end is known, by a report of its scripts or because its broker never ran: the log of a
 * broker can then only tell consequences.
 */
export function isExplained(pod: Pod): boolean {
    return pod.terminated?.marks.error !== undefined || initCause(pod) !== undefined;
}

/** What a program of the user wrote into the termination message, unless the log has it too. */
function lastWords({ pod, text }: Log): string[] {
    const words = pod.terminated?.words;
    return words === undefined || text.includes(words)
        ? []
        : [`Its termination message: ${foreignLine(words.slice(-MOST_WORDS))}`];
}

function hidden(pod: Pod): string {
    const init = foreignInit(pod);
    const words = init !== undefined ? ` ${pod.rank} ${init}` : pod.rank === 0 ? "" : ` ${pod.rank}`;
    const command = `npx flux-minicluster logs${words}`;
    return `output.secret keeps ${ownerOf(pod)} log out of this message; ${command} prints it.`;
}

function ownerOf(pod: Pod): string {
    const init = foreignInit(pod);
    if (init !== undefined) {
        return `${init}'s`;
    }
    return pod.rank === 0 ? "the lead's" : `${pod.name}'s`;
}

function endOf({ isStart, text }: Log): string[] {
    const lines = isStart ? tellingLines(text).slice(-START_LINES) : text.trimEnd().split("\n").slice(-LOG_LINES);
    return lines.map((line) => `  ${line}`);
}

/** A deadline as the cause: Kubernetes ends the pods then, so their exit codes tell nothing. */
function ownCause(kubernetes: string): string | undefined {
    return kubernetes.startsWith("DeadlineExceeded")
        ? `${kubernetes} (raise activeDeadlineSeconds for a longer run)`
        : undefined;
}

/** A lost rank ends the command, so the cause of any rank's end tells more than the command's exit code. */
function firstCause(ranks: readonly Pod[]): string | undefined {
    return ranks.map(podCause).find((cause) => cause !== undefined);
}

function firstKill(ranks: readonly Pod[]): string | undefined {
    return ranks.map(killedCause).find((cause) => cause !== undefined);
}

function firstInit(ranks: readonly Pod[]): string | undefined {
    return ranks.map(initCause).find((cause) => cause !== undefined);
}

/**
 * The removal of a follower while the command ran, with the command's own end: a command may also fail by itself after
 * it, for example one that has no task on this rank.
 */
function lossCause(ranks: readonly Pod[], losses: readonly Loss[]): string | undefined {
    const end = leadCause(ranks);
    const { ended, restarted, started } = ranks.find(({ rank }) => rank === 0)?.terminated?.marks ?? {};
    const [from, to] = [restarted ?? started ?? NaN, ended ?? Infinity].map((seconds) => Number(seconds) * 1000);
    const loss = losses.find(({ at, pod }) => pod.rank > 0 && at >= from - SKEW && at <= to + SKEW);
    return loss && end && `${podCause(loss.pod)?.replace(/\.?$/, ".")} ${end}`;
}

function leadCause(ranks: readonly Pod[]): string | undefined {
    const lead = ranks.find(({ rank }) => rank === 0);
    if (lead?.terminated === undefined || lead.terminated.exitCode === 0) {
        return undefined;
    }
    const { marks, reason } = lead.terminated;
    if (marks.quorum === undefined) {
        return `${lead.name} ended with exit code ${lead.terminated.exitCode} before its broker had its quorum.`;
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
