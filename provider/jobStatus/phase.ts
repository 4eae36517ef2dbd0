import { isReady, type Pod } from "../observe/pods/pod";
import type { JobStatusInputs, Phase } from "./properties";

/** The inputs with the present size, and the number of ranks with which the cluster is ready. */
export interface Sized extends JobStatusInputs {
    readonly needed: number;
}

export function phaseOf(ranks: readonly Pod[], inputs: Sized): Phase {
    const lead = ranks.some((pod) => pod.rank === 0 && isReady(pod));
    // After the command's end, the Job ends too: it isn't starting again.
    if (inputs.ephemeral && (lead || hasEnded(ranks))) {
        return "running";
    }
    // A shrinking cluster has its new size when the ranks above that size have left.
    if (lead && members(ranks, inputs) >= inputs.needed && leaving(ranks, inputs) === 0) {
        return "ready";
    }
    return ranks.some(({ startedAt }) => startedAt !== undefined) ? "starting" : "pending";
}

/** How many of the wanted ranks have joined. */
export function members(ranks: readonly Pod[], { size }: JobStatusInputs): number {
    return ranks.filter((pod) => pod.rank < size && isReady(pod)).length;
}

/** How many ranks above the wanted size still run. */
export function leaving(ranks: readonly Pod[], { size }: JobStatusInputs): number {
    return ranks.filter(
        ({ rank, startedAt, terminated }) => rank >= size && startedAt !== undefined && terminated === undefined,
    ).length;
}

export function hasEnded(ranks: readonly Pod[]): boolean {
    return ranks.some(({ rank, terminated }) => rank === 0 && terminated !== undefined);
}

/** True if the lead reached its quorum. For a lead that ended before it, the timeout for joining continues. */
export function leadHadQuorum(ranks: readonly Pod[]): boolean {
    const lead = ranks.find(({ rank }) => rank === 0);
    return lead !== undefined && (isReady(lead) || lead.terminated?.marks.quorum !== undefined);
}

export function isUp(phase: Phase): boolean {
    return phase === "ready" || phase === "running";
}

/**
 * True if what ends a wait has been seen. While the API server doesn't answer, nobody knows of pods that are late whether they
 * have come meanwhile.
 */
export function isWitnessed({
    outcome,
    phase,
}: {
    readonly outcome?: "failed" | "reached";
    readonly phase: Phase;
}): boolean {
    return outcome === "reached" || (outcome === "failed" && ["expired", "failed", "gone"].includes(phase));
}
