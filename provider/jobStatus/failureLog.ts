import type { Kube } from "../kube/client";
import { podCause } from "../pods/cause";
import type { Pod } from "../pods/pod";
import { meaningOf } from "./brokerWords";
import { isExplained, type Log } from "./failure";
import { lastLines } from "./record";
import type { Waited } from "./wait";

/** Pods whose logs are read: mostly all ranks fail for one reason. */
const PODS = 4;
const LINES = 200;

/**
 * The log that tells most about a failure: rank 0's where a command ran; else that of a pod whose scripts say why it ended;
 * else that of the first suspect whose log is understood, or that says anything. `output` is what is kept of rank 0's.
 */
export async function failureLog(
    kube: Kube,
    namespace: string,
    { last: { phase, suspects = [] }, seen }: Waited,
    ranks: readonly Pod[],
    output: string,
): Promise<Log | undefined> {
    if (seen.silence !== undefined) {
        // An API server that doesn't answer gives no logs either, and would only be asked again and again.
        return undefined;
    }
    const lead = ranks.find(({ rank }) => rank === 0);
    if (phase === "failed" && (lead === undefined || hadQuorum(lead))) {
        return lead && { pod: lead, text: output, isStart: false };
    }
    const asked = explainedOnly(phase === "failed" ? failedFirst(ranks) : suspects);
    const endOf = async (pod: Pod) => {
        const kept = pod.rank === 0 ? output : "";
        // Fewer lines may be those that output.maxBytes has left.
        return kept.split("\n").length > LINES ? kept : (await lastLines(kube, namespace, pod, LINES)) || kept;
    };
    const read = async (pod: Pod): Promise<Log> => ({ pod, text: await endOf(pod), isStart: true });
    const logs = await Promise.all(asked.slice(0, PODS).map(read));
    return logs.find(({ text }) => meaningOf(text) !== undefined) ?? logs.find(({ text }) => text.trim() !== "");
}

/** A pod of rank 0 becomes Ready at quorum. */
function hadQuorum({ readyAt, terminated }: Pod): boolean {
    return readyAt !== undefined || terminated?.marks.quorum !== undefined;
}

/** The pods whose scripts say why they ended, if there are any: what others say follows from that. */
function explainedOnly(pods: readonly Pod[]): readonly Pod[] {
    const explained = pods.filter(isExplained);
    return explained.length > 0 ? explained : pods;
}

/** Ranks of which something is known before those that were only ended with them. */
function failedFirst(ranks: readonly Pod[]): readonly Pod[] {
    const known = ranks.filter((pod) => podCause(pod) !== undefined);
    const ended = ranks.filter(({ terminated }) => terminated !== undefined && terminated.exitCode !== 0);
    return [...new Set([...known, ...ended])];
}
