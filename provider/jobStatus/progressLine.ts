import { isReady, type Pod } from "../observe/pods/pod";
import type { Trouble } from "../observe/pods/trouble";
import { awaited, describeWait } from "../observe/pods/waitWords";
import { hasEnded, leaving, members } from "./phase";
import type { JobStatusInputs, Phase } from "./properties";

export function describe(
    phase: Phase,
    ranks: readonly Pod[],
    inputs: JobStatusInputs,
    all: readonly Trouble[],
    now: number,
): string {
    const { size } = inputs;
    const ready = ranks.filter(isReady).length;
    const running = ranks.filter(hasStarted);
    if (phase === "running") {
        return hasEnded(ranks) ? "the lead has ended" : describeCommand(ranks, inputs, all, now);
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
    return `${running.length}/${size} pods running${describeSlow(ranks, all, now)}`;
}

function describeSlow(ranks: readonly Pod[], all: readonly Trouble[], now: number): string {
    const slow = ranks.filter((pod) => !hasStarted(pod));
    const found = awaited(slow, all, now);
    const name = found?.pod === undefined ? "" : `${found.pod.name} `;
    return found === undefined ? "" : `; ${name}${found.words}`;
}

function hasStarted({ startedAt }: Pod): boolean {
    return startedAt !== undefined;
}

/** A command that starts again may wait for the new pods of lost ranks. */
function describeCommand(
    ranks: readonly Pod[],
    { needsAllRanks }: JobStatusInputs,
    all: readonly Trouble[],
    now: number,
): string {
    const lost = ranks.reduce((sum, { replaced = 0 }) => sum + replaced, 0);
    if (lost === 0) {
        return `command runs${describeSlow(ranks, all, now)}`;
    }
    const replaced = `lost pods replaced: ${lost}`;
    const late = ranks.filter((pod) => isReplacement(pod) && !isReady(pod));
    const missing = late.find((pod) => !hasStarted(pod));
    if (needsAllRanks && late.length > 0) {
        const whom =
            missing === undefined ? `${late[0].name} to join` : `${missing.name} (${describeWait(missing, all, now)})`;
        return `command waits for ${whom}; ${replaced}`;
    }
    const waits = missing === undefined ? "" : `; ${missing.name} ${describeWait(missing, all, now)}`;
    return `command runs; ${replaced}${waits}`;
}

/** True for a pod in the place of a lost one. A pod that leaves may be lost itself, while the command still runs. */
function isReplacement({ deleting, replaced = 0, terminated }: Pod): boolean {
    return replaced > 0 && !deleting && terminated === undefined;
}
