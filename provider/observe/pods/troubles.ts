import type { TimeoutsSpec } from "../../contract/timeoutsSpec";
import { isRefusedForGood } from "../causes/lastingWords";
import { limitOf } from "./limit";
import type { Observation } from "./observation";
import { sentenceOf } from "../causes/pods";
import { plainText, ROW } from "./plainText";
import { podTroubles } from "./podTrouble";
import type { Trouble } from "./trouble";

/** All problems, the oldest first. */
export function troubles(seen: Observation, timeouts: TimeoutsSpec): Trouble[] {
    const found = [
        ...seen.ranks().flatMap((pod) => podTroubles(pod, seen, timeouts)),
        ...creationTrouble(seen, timeouts),
    ];
    return found.sort((a, b) => a.since - b.since);
}

/** Pods that the API server doesn't let the Job controller create: quota, admission, a missing service account. */
function creationTrouble(seen: Observation, timeouts: TimeoutsSpec): Trouble[] {
    const all = seen.warningsOf(seen.uid).filter(({ reason }) => reason === "FailedCreate");
    const [newest] = all;
    if (newest === undefined || seen.podCount >= (seen.job?.spec?.parallelism ?? 0)) {
        return [];
    }
    const isLasting = !newest.old && isRefusedForGood(newest.message, seen.job);
    const limit = limitOf(isLasting ? "podCreation" : "podStart", timeouts);
    const text = (message: string) => `Kubernetes can't create a pod: ${message}`;
    const since = Math.min(...all.map(({ at }) => at));
    const cure = sentenceOf(newest.message);
    const message = `${text(newest.message)}${cure === "" ? "" : `.${cure}`}`;
    return [{ ...limit, message, row: text(plainText(newest.first, ROW)), since }];
}

/** An API server that doesn't answer: the state of the cluster is unknown then. */
export function silenceTrouble(seen: Observation, timeouts: TimeoutsSpec): Trouble[] {
    if (seen.silence === undefined) {
        return [];
    }
    const { at, message } = seen.silence;
    const row = `The API server does not answer: ${message}`;
    return [{ ...limitOf("ready", timeouts), message: row, row, since: at }];
}
