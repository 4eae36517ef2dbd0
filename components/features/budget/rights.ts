import type { Input } from "@pulumi/pulumi";

import { namesOf } from "../../../provider/contract/names";
import type { PodRight } from "../../parts/podRight";
import { tokenMount } from "../../parts/tokenMount";
import type { MiniClusterSpec } from "../../spec";

/** Rights of the pods' service account: to change its own PodDisruptionBudget, and nothing else. */
export function budgetRules({ name }: MiniClusterSpec): PodRight[] {
    const resourceNames = [namesOf(name).cluster];
    return [{ apiGroups: ["policy"], resources: ["poddisruptionbudgets"], resourceNames, verbs: ["patch"] }];
}

export const BUDGET_TOKEN = tokenMount("flux-budget");

/** True if the pods get these rights, which Pulumi must know before any Output: an Output counts as a command. */
export function hasRights(command: Input<Input<string>[]> | undefined): boolean {
    return command === undefined || (Array.isArray(command) && command.length === 0);
}
