import type { TimeoutsSpec } from "../../contract/timeoutsSpec";
import { describeRefusal } from "./cause";
import { isLasting } from "../causes/lastingWords";
import { limitOf } from "./limit";
import { nodeTroubles } from "./lostNode";
import { type Observation, type Refusal, waitsInTrouble } from "./observation";
import { plainText, ROW } from "./plainText";
import type { Pod } from "./pod";
import { gated, unschedulable, unseen } from "./schedulingTrouble";
import { starting, waiting } from "./startTrouble";
import type { Trouble } from "./trouble";

/** The problems of a pod: earlier refusals of its rank, then what keeps the pod from starting now. */
export function podTroubles(pod: Pod, seen: Observation, timeouts: TimeoutsSpec): Trouble[] {
    const refusal = pod.deleting ? undefined : seen.refusalOf(pod.rank);
    return [
        ...(refusal === undefined ? [] : [refused(pod, refusal, timeouts)]),
        ...(pod.refused === undefined ? present(pod, seen, timeouts) : []),
        ...nodeTroubles(pod, limitOf("unschedulable", timeouts)),
    ];
}

function present(pod: Pod, seen: Observation, timeouts: TimeoutsSpec): Trouble[] {
    if (pod.gates !== undefined) {
        return [gated(pod, pod.gates, seen, timeouts)];
    }
    if (pod.unschedulable !== undefined) {
        return [unschedulable(pod, pod.unschedulable, seen, timeouts)];
    }
    if (pod.unseen) {
        return [unseen(pod, seen, timeouts)];
    }
    if (waitsInTrouble(pod) && pod.waiting !== undefined) {
        return [waiting(pod, pod.waiting, seen, timeouts)];
    }
    return starting(pod, seen, timeouts);
}

/** A kubelet refuses a pod when it has another view of its node than the scheduler. The next pod may be taken. */
function refused(pod: Pod, { at, pod: last }: Refusal, timeouts: TimeoutsSpec): Trouble {
    const refusal = last.refused ?? { message: "", reason: "" };
    const lasts = isLasting(`${refusal.reason}: ${refusal.message}`);
    const message = describeRefusal(last, refusal);
    return {
        ...limitOf(lasts ? "podCreation" : "podStart", timeouts),
        pod,
        message,
        row: plainText(message.slice(last.name.length + 1), ROW),
        since: at,
    };
}
