import { leadProgram } from "../../parts/leadProgram";
import { scriptsIn } from "../../parts/scripts";
import type { MiniClusterSpec } from "../../spec";
import { type Feature, when } from "../feature";
import type { CommandArguments } from "../command";
import { BUDGET_TOKEN, hasRights } from "./rights";
import { validateBudget } from "./rules";

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

declare module "../../spec" {
    interface MiniClusterSpec extends Decided {}
}

export const budget: Feature<BudgetArguments & Pick<CommandArguments, "command">, Decided> = {
    decide: ({ disruptionBudget = false }) => ({ disruptionBudget }),
    problems: validateBudget,
    late: ({ command, disruptionBudget = false }, spec) =>
        disruptionBudget && spec.mode === "persistent" && !hasRights(command)
            ? [{ property: "command", reason: EMPTY }]
            : [],

    ...when(followsJobs, {
        files: () => scriptsIn(__dirname, "budget.py", "budget_flux.py", "budget_object.py", "budget_rule.py"),
        sidecars: (_, spec, mounts) => [
            leadProgram(spec, mounts, {
                name: "budget",
                token: BUDGET_TOKEN,
                parameters: { archive: spec.archive?.folder },
            }),
        ],
        ownMounts: () => [BUDGET_TOKEN],
        // Otherwise each eviction doubles the back-off of the next one, whatever its rank is, up to ten minutes.
        job: () => ({ backoffLimitPerIndex: NO_LIMIT }),
    }),
};

/** True if the lead changes the budget. A command uses all ranks from its start to its end. */
function followsJobs({ disruptionBudget, mode }: MiniClusterSpec): boolean {
    return disruptionBudget && mode === "persistent";
}

/** Largest value of a Kubernetes int32 field, in practice no limit. */
const NO_LIMIT = 2147483647;

const EMPTY =
    "is an Output and empty, but with disruptionBudget Pulumi must know before any Output whether there is a command. " +
    "Leave it out.";
