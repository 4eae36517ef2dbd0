import type { Kube } from "../../kubernetes/client";
import { foreignInit, podCause } from "../../observe/pods/cause";
import type { Pod } from "../../observe/pods/pod";
import { meaningOf } from "../../observe/causes/brokers";
import { isExplained, type Log } from "./index";
import { lastLines } from "../record";
import type { Waited } from "../wait";

/** Largest number of pods whose logs are read; mostly, all ranks fail for the same reason. */
const PODS = 4;
const LINES = 200;

/**
 * Finds the log that tells most about a failure. If a command ran, it is the log of rank 0. Else it is the log of a pod
 * whose scripts recorded why it ended, or of the first suspect whose log is understood, or isn't empty. `output` is the
 * part of rank 0's log that is kept.
 */
export async function failureLog(
    kube: Kube,
    namespace: string,
    { last: { phase, suspects = [] }, seen }: Waited,
    ranks: readonly Pod[],
    output: string,
): Promise<Log | undefined> {
    if (seen.silence !== undefined) {
        // An API server that doesn't answer returns no logs either: the calls would only be repeated in vain.
        return undefined;
    }
    const lead = ranks.find(({ rank }) => rank === 0);
    if (phase === "failed" && (lead === undefined || hadQuorum(lead))) {
        return lead && { pod: lead, text: output, isStart: false };
    }
    const asked = explainedOnly(phase === "failed" ? failedFirst(ranks) : suspects);
    const endOf = async (pod: Pod) => {
        const init = foreignInit(pod);
        if (init !== undefined) {
            return lastLines(kube, namespace, pod, LINES, init);
        }
        const kept = pod.rank === 0 ? output : "";
        // If there are fewer lines, output.maxBytes may have shortened them.
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

/**
 * The pods whose scripts recorded why they ended; if there are none, all pods. The ends of the others are consequences.
 */
function explainedOnly(pods: readonly Pod[]): readonly Pod[] {
    const explained = pods.filter(isExplained);
    return explained.length > 0 ? explained : pods;
}

/** The pods that failed: first those with a known cause, then those that were only ended with them. */
function failedFirst(ranks: readonly Pod[]): readonly Pod[] {
    const known = ranks.filter((pod) => podCause(pod) !== undefined);
    const ended = ranks.filter(({ terminated }) => terminated !== undefined && terminated.exitCode !== 0);
    return [...new Set([...known, ...ended])];
}
