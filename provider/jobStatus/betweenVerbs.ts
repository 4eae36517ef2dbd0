import { keptByCopy } from "../contract/operation";
import type { JobStatusInputs } from "./properties";

/**
 * Resources whose `check` has run in this operation. The engine calls `diff` in a refresh too, to tell whether the
 * refresh has found changes, but `check` only in an update.
 */
const checked = keptByCopy(() => new Set<string>());

export function setChecked(inputs: JobStatusInputs): void {
    checked().add(keyOf(inputs));
}

export function isChecked(inputs: JobStatusInputs): boolean {
    return checked().has(keyOf(inputs));
}

function keyOf({ job, resourceUrn }: JobStatusInputs): string {
    return resourceUrn ?? job;
}
