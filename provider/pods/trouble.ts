import type { TimeoutsSpec } from "../contract/timeouts";
import { describeSeconds } from "../duration";
import { podCause } from "./cause";
import { killedCause } from "./killed";
import { isTrouble, type Observation } from "./observation";
import type { Pod } from "./pod";

/** A problem that keeps the cluster from starting. */
export interface Trouble {
    /** A whole sentence. */
    readonly message: string;
    /** Milliseconds since 1970. */
    readonly since: number;
    /** Grace period in seconds, in which the problem may pass by itself. */
    readonly grace: number;
    /** The argument that sets the grace period. */
    readonly argument?: string;
}

const IMAGE_REASONS = ["ErrImagePull", "ImagePullBackOff", "RegistryUnavailable", "SignatureValidationFailed"];
const FATAL_REASONS = ["ErrImageNeverPull", "InvalidImageName"];

/** All problems, the oldest first. */
export function troubles(seen: Observation, timeouts: TimeoutsSpec): Trouble[] {
    const found = [
        ...seen.ranks().flatMap((pod) => podTroubles(pod, seen, timeouts)),
        ...creationTrouble(seen, timeouts),
    ];
    return found.sort((a, b) => a.since - b.since);
}

function podTroubles(pod: Pod, seen: Observation, timeouts: TimeoutsSpec): Trouble[] {
    const unschedulableSince = seen.unschedulableSince(pod);
    if (unschedulableSince !== undefined) {
        const message = `${pod.name} can't be scheduled: ${pod.unschedulable || "Unschedulable"}`;
        const grace = timeouts.unschedulable;
        return [{ message, since: unschedulableSince, grace, argument: "timeouts.unschedulable" }];
    }
    const since = seen.waitingSince(pod);
    if (since !== undefined && pod.waiting !== undefined) {
        return [waitingTrouble(pod, pod.waiting, since, timeouts)];
    }
    return mountTrouble(pod, seen, timeouts);
}

/**
 * A volume whose Secret, ConfigMap or claim, or a key in it, doesn't exist. Other warnings, as of a slow attachment,
 * pass.
 */
function mountTrouble(pod: Pod, seen: Observation, timeouts: TimeoutsSpec): Trouble[] {
    const warning = pod.startedAt === undefined ? seen.warning(pod.uid, "FailedMount") : undefined;
    if (warning === undefined || !/not found|references non-existent/.test(warning.message)) {
        return [];
    }
    const message = `${pod.name} does not start: ${warning.message}`;
    return [{ message, since: warning.at, grace: timeouts.podCreation, argument: "timeouts.podCreation" }];
}

function waitingTrouble(
    pod: Pod,
    { message, reason }: { message: string; reason: string },
    since: number,
    timeouts: TimeoutsSpec,
): Trouble {
    const text = `${pod.name} does not start: ${reason}${message === "" ? "" : `: ${message}`}`;
    if (FATAL_REASONS.includes(reason)) {
        return { message: text, since, grace: 0 };
    }
    if (IMAGE_REASONS.includes(reason)) {
        return { message: text, since, grace: timeouts.imagePull, argument: "timeouts.imagePull" };
    }
    return { message: text, since, grace: timeouts.podCreation, argument: "timeouts.podCreation" };
}

/** Pods that the API server doesn't let the Job controller create: quota, admission, a missing service account. */
function creationTrouble(seen: Observation, timeouts: TimeoutsSpec): Trouble[] {
    const warning = seen.warning(seen.uid, "FailedCreate");
    const wanted = seen.job?.spec?.parallelism ?? 0;
    if (warning === undefined || seen.podCount >= wanted) {
        return [];
    }
    const message = `Kubernetes can't create a pod: ${warning.message}`;
    return [{ message, since: warning.at, grace: timeouts.podCreation, argument: "timeouts.podCreation" }];
}

/** An API server that doesn't answer: the state of the cluster is unknown then. */
export function silenceTrouble(seen: Observation, timeouts: TimeoutsSpec): Trouble[] {
    if (seen.silence === undefined) {
        return [];
    }
    const { at, message } = seen.silence;
    return [
        {
            message: `The API server does not answer: ${message}`,
            since: at,
            grace: timeouts.ready,
            argument: "timeouts.ready",
        },
    ];
}

/**
 * A pod that can't start, and that Kubernetes would recreate without end. Either its scripts tell the error, or it is
 * the second pod of its rank in a row that ended before it was ready.
 */
export function crashed(seen: Observation): Pod | undefined {
    return seen
        .ranks()
        .find((pod) => pod.terminated?.marks.error !== undefined || (pod.terminated && seen.crashesOf(pod.rank) > 1));
}

export function describeCrash(pod: Pod): string {
    return (
        podCause(pod) ??
        killedCause(pod) ??
        `${pod.name} ended with exit code ${pod.terminated?.exitCode} before it was ready, and so did the pod before it.`
    );
}

/** Describes the first problem whose grace period is over; undefined if there is none. */
export function overdue(all: readonly Trouble[], now: number): string | undefined {
    const trouble = all.find(({ grace, since }) => now >= since + grace * 1000);
    if (trouble === undefined) {
        return undefined;
    }
    const { argument, grace, message } = trouble;
    return argument === undefined
        ? message
        : `${message} (for ${describeSeconds(grace)}; raise ${argument} to wait longer)`;
}

/** When the next grace period ends, in milliseconds since 1970. */
export function nextDeadline(all: readonly Trouble[]): number | undefined {
    return earliest(...all.map(({ grace, since }) => since + grace * 1000));
}

/** The earliest of the known times. */
export function earliest(...times: readonly (number | undefined)[]): number | undefined {
    const known = times.filter((time) => time !== undefined);
    return known.length === 0 ? undefined : Math.min(...known);
}

/** What a pod waits for, in one word, as Kubernetes calls it. Of a pod that finds no node, also the scheduler's reason. */
export function describeWait(pod: Pod): string {
    if (pod.unschedulable !== undefined) {
        return pod.unschedulable === "" ? "Unschedulable" : `Unschedulable: ${pod.unschedulable}`;
    }
    if (pod.waiting !== undefined && isTrouble(pod.waiting.reason)) {
        return pod.waiting.reason;
    }
    if (pod.node === undefined) {
        return "Pending";
    }
    return pod.waiting?.reason ?? "ContainerCreating";
}
