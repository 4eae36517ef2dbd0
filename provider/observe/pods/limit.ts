import type { TimeoutsSpec } from "../../contract/timeoutsSpec";

/** How long a problem may last. */
export interface Limit {
    /** Grace period in seconds, in which the problem may pass by itself. */
    readonly grace: number;
    /** The argument that sets the grace period. */
    readonly argument?: string;
}

/** For problems that never pass. */
export const AT_ONCE: Limit = { grace: 0 };
/** For problems that only the timeouts of the whole wait limit. */
export const NONE: Limit = { grace: Infinity };

/** The limit that an argument sets. */
export function limitOf(
    name: "imagePull" | "podCreation" | "podStart" | "ready" | "unschedulable",
    timeouts: TimeoutsSpec,
): Limit {
    return { grace: timeouts[name], argument: `timeouts.${name}` };
}
