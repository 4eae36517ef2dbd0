import { ELASTIC_GATE } from "../../contract/labels";
import type { TimeoutsSpec } from "../../contract/timeoutsSpec";
import { isLasting } from "../causes/lastingWords";
import { limitOf, NONE } from "./limit";
import type { Observation } from "./observation";
import { plainText, ROW } from "./plainText";
import type { Pod } from "./pod";
import { ownWarnings } from "./podWarnings";
import type { Trouble } from "./trouble";
import type { Warning } from "./warnings";

/** Seconds in which a scheduler or a kubelet that is well looks at a pod, also at one of thousands. */
const LOOK = 10;

/** A pod that its gates keep from every scheduler. */
export function gated(pod: Pod, gates: readonly string[], seen: Observation, timeouts: TimeoutsSpec): Trouble {
    if (gates.includes(ELASTIC_GATE)) {
        return inQueue(pod, seen);
    }
    const isOne = gates.length === 1;
    const names = gates.map((gate) => `"${gate}"`).join(", ");
    const what = `scheduling gate${isOne ? "" : "s"} ${names} ${isOne ? "hasn't" : "haven't"} been removed`;
    return {
        ...limitOf("unschedulable", timeouts),
        pod,
        message: `${pod.name} can't be scheduled: ${what}`,
        row: `SchedulingGated: ${what}`,
        since: seen.sinceOf(pod, "gated") ?? pod.createdAt,
    };
}

/** A pod by which its Job grows, and which Kueue has not admitted yet. A queue may take any time. */
function inQueue(pod: Pod, seen: Observation): Trouble {
    const row = describeQueue(seen.queueReason);
    return { ...NONE, pod, message: `${pod.name} ${row}`, row, since: pod.createdAt };
}

export function describeQueue(reason: string | undefined): string {
    return reason === undefined ? "waits in its queue" : `waits in its queue: ${reason}`;
}

/** A pod for which its scheduler finds no node. The reason may be another program's: a provisioner's, an autoscaler's. */
export function unschedulable(
    pod: Pod,
    decision: NonNullable<Pod["unschedulable"]>,
    seen: Observation,
    timeouts: TimeoutsSpec,
): Trouble {
    const words = plainText(decision.message) || decision.reason || "Unschedulable";
    const other = otherReason(pod, words, seen);
    const others = other === undefined ? [] : [other];
    const texts = [words, ...others.map(({ message }) => message)];
    const rows = [words, ...others.map(({ first }) => first)].map((text) => plainText(text, ROW / texts.length));
    const lasting = lastingSince(pod, words, other, seen);
    return {
        ...limitOf(lasting === undefined ? "unschedulable" : "podCreation", timeouts),
        pod,
        message: `${pod.name} can't be scheduled: ${texts.join("; ")}`,
        row: rows.join("; ").replace(/^(?!Unschedulable$)/, "Unschedulable: "),
        since: lasting ?? seen.sinceOf(pod, "unschedulable") ?? pod.createdAt,
    };
}

function lastingSince(pod: Pod, words: string, other: Warning | undefined, seen: Observation): number | undefined {
    if (isLasting(words)) {
        return seen.sinceOf(pod, "lasting");
    }
    return other !== undefined && !other.old && isLasting(other.message) ? other.at : undefined;
}

function otherReason(pod: Pod, words: string, seen: Observation): Warning | undefined {
    // A claim's warnings stay after the claim is bound.
    const claim = /volume/i.test(words) ? seen.claimWarning(pod) : undefined;
    const other = claim ?? ownWarnings(pod, seen).find(({ source }) => source !== pod.scheduler);
    return other === undefined || words.includes(other.message) ? undefined : other;
}

/** Kubernetes' scheduler says nothing of a pod before it looks at the whole group. */
const TOO_FEW = "may not exist, or have fewer pods than its minCount";

/** A pod in whose status neither its scheduler nor its kubelet has written. A scheduler may only write Events. */
export function unseen(pod: Pod, seen: Observation, timeouts: TimeoutsSpec): Trouble {
    const since = seen.sinceOf(pod, "unseen") ?? pod.createdAt;
    if (pod.node !== undefined) {
        const what = `the kubelet of node ${pod.node} has not looked at`;
        const limit = limitOf("podStart", timeouts);
        return { ...limit, pod, message: `${what} ${pod.name}`, row: `Pending: ${what} it`, since, quiet: LOOK };
    }
    const limit = limitOf("unschedulable", timeouts);
    const [warning] = ownWarnings(pod, seen);
    if (warning !== undefined) {
        const row = `Pending: ${plainText(warning.first, ROW)}`;
        return { ...limit, pod, message: `${pod.name} can't be scheduled: ${warning.message}`, row, since };
    }
    const what = `no scheduler named ${pod.scheduler} has looked at`;
    const why = pod.group === undefined ? "" : `: its PodGroup ${pod.group} ${TOO_FEW}`;
    return {
        ...limit,
        pod,
        message: `${what} ${pod.name}${why}`,
        row: `Pending: ${what} it${why}`,
        since,
        quiet: LOOK,
    };
}
