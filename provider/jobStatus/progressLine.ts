import { isReady, type Pod } from "../pods/pod";
import { describeWait } from "../pods/trouble";
import { hasEnded, leaving, members } from "./phase";
import type { JobStatusInputs, Phase } from "./properties";

export function describe(phase: Phase, ranks: readonly Pod[], inputs: JobStatusInputs): string {
    const { size } = inputs;
    const ready = ranks.filter(isReady).length;
    const running = ranks.filter(({ startedAt }) => startedAt !== undefined);
    if (phase === "running") {
        return hasEnded(ranks) ? "the lead has ended" : describeCommand(ranks, inputs);
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

/** A command that starts again may wait for the new pods of lost ranks. */
function describeCommand(ranks: readonly Pod[], { needsAllRanks }: JobStatusInputs): string {
    const lost = ranks.reduce((sum, { replaced = 0 }) => sum + replaced, 0);
    if (lost === 0) {
        return "command runs";
    }
    const replaced = `lost pods replaced: ${lost}`;
    const late = ranks.filter((pod) => isReplacement(pod) && !isReady(pod));
    const missing = late.find(({ startedAt }) => startedAt === undefined);
    if (needsAllRanks && late.length > 0) {
        const awaited =
            missing === undefined ? `${late[0].name} to join` : `${missing.name} (${describeWait(missing)})`;
        return `command waits for ${awaited}; ${replaced}`;
    }
    const waits = missing === undefined ? "" : `; ${missing.name} ${describeWait(missing)}`;
    return `command runs; ${replaced}${waits}`;
}

/** True for a pod in the place of a lost one. A pod that leaves may be lost itself, while the command still runs. */
function isReplacement({ deleting, replaced = 0, terminated }: Pod): boolean {
    return replaced > 0 && !deleting && terminated === undefined;
}
