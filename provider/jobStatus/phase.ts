import { isReady, type Pod } from "../pods/pod";
import { describeWait } from "../pods/trouble";
import type { JobStatusInputs, Phase } from "./resource";

export function phaseOf(ranks: readonly Pod[], inputs: JobStatusInputs): Phase {
    const lead = ranks.some((pod) => pod.rank === 0 && isReady(pod));
    // A command that has ended is on its way to the Job's end, not back at its start.
    if (inputs.ephemeral && (lead || hasEnded(ranks))) {
        return "running";
    }
    // A cluster that shrinks has its new size when the ranks above it have left.
    if (lead && members(ranks, inputs) === inputs.size && leaving(ranks, inputs) === 0) {
        return "ready";
    }
    return ranks.some(({ startedAt }) => startedAt !== undefined) ? "starting" : "pending";
}

/** Ranks that are in, of those that the size asks for. */
function members(ranks: readonly Pod[], { size }: JobStatusInputs): number {
    return ranks.filter((pod) => pod.rank < size && isReady(pod)).length;
}

/** Ranks above the size whose containers still run. */
function leaving(ranks: readonly Pod[], { size }: JobStatusInputs): number {
    return ranks.filter(
        ({ rank, startedAt, terminated }) => rank >= size && startedAt !== undefined && terminated === undefined,
    ).length;
}

export function hasEnded(ranks: readonly Pod[]): boolean {
    return ranks.some(({ rank, terminated }) => rank === 0 && terminated !== undefined);
}

/** A lead that ended before its quorum has never been in: the time for the ranks to join goes on. */
export function wasIn(ranks: readonly Pod[]): boolean {
    const lead = ranks.find(({ rank }) => rank === 0);
    return lead !== undefined && (isReady(lead) || lead.terminated?.marks.quorum !== undefined);
}

export function isUp(phase: Phase): boolean {
    return phase === "ready" || phase === "running";
}

export function describe(phase: Phase, ranks: readonly Pod[], inputs: JobStatusInputs): string {
    const { size } = inputs;
    const ready = ranks.filter(isReady).length;
    const running = ranks.filter(({ startedAt }) => startedAt !== undefined);
    if (phase === "running") {
        return hasEnded(ranks) ? "rank 0 has ended" : "command runs";
    }
    if (phase === "ready") {
        return `ready ${ready}/${size}`;
    }
    const leave = leaving(ranks, inputs);
    if (leave > 0 && members(ranks, inputs) === size) {
        return `${leave} ranks leave`;
    }
    if (running.length >= size) {
        return `${ready}/${size} ranks in`;
    }
    const slow = ranks.find(({ startedAt }) => startedAt === undefined);
    const waits = slow === undefined ? "" : `; ${slow.name} ${describeWait(slow)}`;
    return `${running.length}/${size} pods running${waits}`;
}
