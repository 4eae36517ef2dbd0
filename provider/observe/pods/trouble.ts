import { describeSeconds } from "../../contract/quantity";
import { knownCureOf } from "../causes/pods";
import type { Limit } from "./limit";
import type { Pod } from "./pod";

/** A problem that keeps the cluster from starting. */
export interface Trouble extends Limit {
    /** A whole sentence. */
    readonly message: string;
    /** The same in a progress line, after the pod's name if it has a pod. */
    readonly row: string;
    /** Milliseconds since 1970. */
    readonly since: number;
    readonly pod?: Pod;
    /** Seconds in which a normal start or end of a pod has it too, so that no progress line tells it. */
    readonly quiet?: number;
}

/** Describes the first problem whose grace period is over; undefined if there is none. */
export function overdue(all: readonly Trouble[], now: number): string | undefined {
    const trouble = all.find((each) => isOver(each, now));
    if (trouble === undefined) {
        return undefined;
    }
    const { argument, grace, message } = trouble;
    // Only such a problem lasts until a user changes something: more time alone is no cure.
    const cure = argument === "timeouts.podCreation" ? knownCureOf(message) : undefined;
    const words = cure === undefined ? message : `${message}; cure: ${cure}`;
    return argument === undefined
        ? message
        : `${words} (for ${describeSeconds(grace)}; raise ${argument} to wait longer)`;
}

/** True if the grace period is over. */
export function isOver({ grace, since }: Trouble, now: number): boolean {
    return now >= since + grace * 1000;
}

/** False while a normal start, or a normal end of a pod, has the problem too. */
export function isTold({ quiet = 0, since }: Trouble, now: number): boolean {
    return now >= since + quiet * 1000;
}

/** When the next grace period ends, or a progress line changes, in milliseconds since 1970. */
export function nextDeadline(all: readonly Trouble[], now: number): number | undefined {
    const times = all.flatMap(({ grace, quiet = 0, since }) => [since + grace * 1000, since + quiet * 1000]);
    return earliest(...times.filter((time) => time > now && time !== Infinity));
}

/** The earliest of the known times. */
export function earliest(...times: readonly (number | undefined)[]): number | undefined {
    const known = times.filter((time) => time !== undefined);
    return known.length === 0 ? undefined : Math.min(...known);
}
