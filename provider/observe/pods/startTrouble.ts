import type { TimeoutsSpec } from "../../contract/timeoutsSpec";
import { isLasting } from "../causes/lastingWords";
import { AT_ONCE, type Limit, limitOf, NONE } from "./limit";
import { type Observation, type State, waitsForImage } from "./observation";
import { plainText, ROW } from "./plainText";
import type { Pod } from "./pod";
import { isGeneric, keepsFromStarting, ownWarnings } from "./podWarnings";
import { sentenceOf } from "../causes/pods";
import type { Trouble } from "./trouble";
import type { Warning } from "./warnings";

const FATAL_REASONS = ["ErrImageNeverPull", "InvalidImageName"];

/** A pod with a container that waits for its image, its configuration or its runtime. */
export function waiting(
    pod: Pod,
    { message, reason }: NonNullable<Pod["waiting"]>,
    seen: Observation,
    timeouts: TimeoutsSpec,
): Trouble {
    const isImage = waitsForImage(pod);
    const said = plainText(message);
    // Before Kubernetes 1.32, the back-off has no cause: the Event of the failed pull has it.
    const pull = isImage && /^(?:Back-off pulling image "[^"]*")?$/.test(said) ? failedPull(pod, seen) : undefined;
    const words = [said, pull].filter((text) => text).join(": ");
    const text = words === "" ? reason : `${reason}: ${words}`;
    const { limit, state } = limitOfWait(reason, isImage, words, timeouts);
    return {
        ...limit,
        pod,
        message: `${pod.name} does not start: ${text}${cureOf(text)}`,
        row: plainText(text, ROW),
        since: seen.sinceOf(pod, state) ?? pod.createdAt,
    };
}

/** The cure after the words of the container runtime, which end without a full stop. */
function cureOf(text: string): string {
    const cure = sentenceOf(text);
    return cure === "" ? "" : `.${cure}`;
}

function failedPull(pod: Pod, seen: Observation): string | undefined {
    return seen.warningsOf(pod.uid).find(({ message }) => message.startsWith("Failed to pull image"))?.message;
}

/** The limit of a problem, and the state since which it lasts. */
function limitOfWait(
    reason: string,
    isImage: boolean,
    words: string,
    timeouts: TimeoutsSpec,
): { readonly limit: Limit; readonly state: State } {
    if (FATAL_REASONS.includes(reason)) {
        return { limit: AT_ONCE, state: "waiting" };
    }
    if (isImage) {
        return { limit: limitOf("imagePull", timeouts), state: "image" };
    }
    return isLasting(words)
        ? { limit: limitOf("podCreation", timeouts), state: "lasting" }
        : { limit: limitOf("podStart", timeouts), state: "waiting" };
}

/** A pod whose volumes, network or sandbox aren't there yet, or which has other warnings. */
export function starting(pod: Pod, seen: Observation, timeouts: TimeoutsSpec): Trouble[] {
    const warnings = ownWarnings(pod, seen);
    if (pod.startedAt !== undefined || pod.terminated !== undefined || warnings.length === 0) {
        return [];
    }
    const blocking = warnings.filter((warning) => keepsFromStarting(pod, warning, seen));
    const lasting = blocking.filter(({ message, old }) => !old && isLasting(message));
    if (lasting.length > 0) {
        return [startTrouble(pod, lasting, limitOf("podCreation", timeouts))];
    }
    return blocking.length > 0
        ? [startTrouble(pod, blocking, limitOf("podStart", timeouts))]
        : [startTrouble(pod, warnings, NONE)];
}

/** Tells the newest of these warnings, since the oldest of them was seen. */
function startTrouble(pod: Pod, warnings: readonly Warning[], limit: Limit): Trouble {
    const told = warnings.find((warning) => !isGeneric(warning)) ?? warnings[0];
    return {
        ...limit,
        pod,
        message: `${pod.name} does not start: ${told.message}`,
        row: `ContainerCreating: ${plainText(told.first, ROW)}`,
        since: Math.min(...warnings.map(({ at }) => at)),
    };
}
