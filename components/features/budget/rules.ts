import type { Problem } from "../../rules/problem";
import { refuseSharedProcesses } from "../../rules/sharedProcesses";
import type { MiniClusterSpec } from "../../spec";

/** Refuses a cluster whose jobs could change the budget. */
export function validateBudget(spec: MiniClusterSpec): Problem[] {
    const hasToken = spec.disruptionBudget && spec.mode === "persistent";
    return hasToken ? refuseSharedProcesses(spec, "the PodDisruptionBudget", "disruptionBudget") : [];
}
