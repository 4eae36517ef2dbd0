import { isReady, type Pod } from "../pods/pod";
import { describeWait } from "../pods/trouble";
import { hasEnded, leaving, members } from "./phase";
import type { JobStatusInputs, Phase } from "./properties";

export function describe(phase: Phase, ranks: readonly Pod[], inputs: JobStatusInputs): string {
    const { size } = inputs;
    const ready = ranks.filter(isReady).length;
    const running = ranks.filter(({ startedAt }) => startedAt !== undefined);
    if (phase === "running") {
        return hasEnded(ranks) ? "the lead has ended" : describeCommand(ranks);
    }
    if (phase === "ready") {
        return `ready ${ready}/${size}`;
    }
    const leave = leaving(ranks, inputs);
    if (leave > 0 && members(ranks, inputs) === size) {
        return `${leave} ranks leave`;
    }
    if (running.length >= size) {
        return `${ready}/${size} ranks joined`;
    }
    const slow = ranks.find(({ startedAt }) => startedAt === undefined);
    const waits = slow === undefined ? "" : `; ${slow.name} ${describeWait(slow)}`;
    return `${running.length}/${size} pods running${waits}`;
}

/** A command that may be started again waits for the ranks whose pods were lost. */
function describeCommand(ranks: readonly Pod[]): string {
    const lost = ranks.reduce((sum, { replaced = 0 }) => sum + replaced, 0);
    if (lost === 0) {
        return "command runs";
    }
    const missing = ranks.find(({ replaced = 0, startedAt }) => replaced > 0 && startedAt === undefined);
    const waits = missing === undefined ? "" : `; ${missing.name} ${describeWait(missing)}`;
    return `command runs; lost pods replaced: ${lost}${waits}`;
}
