import type { Input } from "@pulumi/pulumi";

import { namesOf } from "../../../provider/contract/names";
import { leadProgram } from "../../parts/leadProgram";
import { scriptsIn } from "../../parts/scripts";
import { tokenMount } from "../../parts/tokenMount";
import { refuseSharedProcesses } from "../../rules/sharedProcesses";
import type { MiniClusterSpec } from "../../spec";
import { type Feature, when } from "../feature";
import type { CommandArguments } from "../command";

export interface BudgetArguments {
    /**
     * Let `kubectl drain`, autoscalers of nodes and other clients of the eviction API wait for running jobs. A
     * PodDisruptionBudget covers the ranks that run a job, and the lead while any job runs; idle ranks may leave at once.
     * With a command, it covers all ranks until the end. Without one, the lead gets the right to change that one object,
     * and Pulumi needs the rights on service accounts and roles of docs/rbac.yaml. See docs/nodes.md.
     * @default false
     */
    disruptionBudget?: boolean;
}

export interface Decided {
    readonly disruptionBudget: boolean;
}

const TOKEN = tokenMount("flux-budget");

export const budget: Feature<BudgetArguments & Pick<CommandArguments, "command">, Decided> = {
    decide: ({ disruptionBudget = false }) => ({ disruptionBudget }),
    problems: (spec) =>
        followsJobs(spec) ? refuseSharedProcesses(spec, "the PodDisruptionBudget", "disruptionBudget") : [],
    late: ({ command, disruptionBudget = false }, spec) =>
        disruptionBudget && spec.mode === "persistent" && !isWithout(command)
            ? [{ property: "command", reason: EMPTY }]
            : [],
    rights: {
        suffix: "budget",
        areNeeded: ({ command, disruptionBudget = false }) => disruptionBudget && isWithout(command),
        // Its own PodDisruptionBudget, and no other object.
        rules: ({ name }) => [
            {
                apiGroups: ["policy"],
                resources: ["poddisruptionbudgets"],
                resourceNames: [namesOf(name).cluster],
                verbs: ["patch"],
            },
        ],
    },

    ...when(followsJobs, {
        files: () => scriptsIn(__dirname, "budget.py", "budget_flux.py", "budget_object.py", "budget_rule.py"),
        sidecars: (_, spec, mounts) => [
            leadProgram(spec, mounts, {
                name: "budget",
                token: TOKEN,
                parameters: { archive: spec.archive?.folder },
            }),
        ],
        ownMounts: () => [TOKEN],
        // Otherwise each eviction doubles the back-off of the next one, whatever its rank is, up to ten minutes.
        job: () => ({ backoffLimitPerIndex: NO_LIMIT }),
    }),
};

/** True if there is no command. Pulumi must know that before any Output: an Output counts as a command. */
function isWithout(command: Input<Input<string>[]> | undefined): boolean {
    return command === undefined || (Array.isArray(command) && command.length === 0);
}

/** True if the lead changes the budget. A command uses all ranks from its start to its end. */
function followsJobs({ disruptionBudget, mode }: MiniClusterSpec): boolean {
    return disruptionBudget && mode === "persistent";
}

/** Largest value of a Kubernetes int32 field, in practice no limit. */
const NO_LIMIT = 2147483647;

const EMPTY =
    "is an Output and empty, but with disruptionBudget Pulumi must know before any Output whether there is a command. " +
    "Leave it out.";
