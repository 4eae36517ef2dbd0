import { RUN_OPTION_NAMES } from "../../provider/contract/runOptions";
import { giverOfCores } from "../../components/features/resources";
import { amountsOf, lackOfCores } from "../cores";
import type { Fields, Reader, Values } from "../reader";

/** True if Flux runs the command as tasks. Otherwise numbers of tasks, cores and GPUs have no effect. */
export function runsTasks({ command, launcher }: Values): boolean {
    return command !== undefined && !launcher;
}

/** Reads `spec.tasks`. The operator's default is one task in all, not one for each rank. */
export function readTasks(reader: Reader, spec: Fields, args: Values): void {
    if (!runsTasks(args)) {
        RUN_OPTION_NAMES.forEach((option) => delete args[option]);
        warnOfBatch(reader, spec, args);
        warnOfCores(reader, spec, args);
        return;
    }
    if (args.tasksPerNode !== undefined) {
        leaveTasks(reader, spec, args);
        return;
    }
    if (spec.tasks !== 0 || args.tasks !== undefined) {
        // Options of flux submit come after the operator's own.
        args.tasks ??= spec.tasks ?? 1;
    }
    spreadTasks(reader, args);
}

/** Flux takes tasks of each node, or tasks in all. With both, as with the operator's default, it refuses the command. */
function leaveTasks(reader: Reader, spec: Fields, args: Values): void {
    const { coresPerTask, gpusPerTask, tasks = spec.tasks ?? 1, tasksPerNode } = args;
    if (tasks !== 0 || coresPerTask !== undefined || gpusPerTask !== undefined) {
        const reason = `has --tasks-per-node ${tasksPerNode}, which Flux refuses beside spec.tasks, -n, -c and -g.`;
        reader.warn(
            "spec.flux.optionFlags",
            `${reason} Here only tasksPerNode is left; write spec.tasks: 0 without the others, or remove the option.`,
        );
    }
    delete args.tasks;
    delete args.coresPerTask;
    delete args.gpusPerTask;
}

function hasConfig({ broker }: Values): boolean {
    return broker?.config !== undefined;
}

const SEES = "Flux has only these cores in a rank; with the operator, it has all cores of the node.";

/**
 * In the operator's pods, Flux counts the cores of the node, whatever the amounts are. If the tasks need more cores than
 * the amounts give, Flux gets as many as they need.
 */
function spreadTasks(reader: Reader, args: Values): void {
    const lack = hasConfig(args) ? undefined : lackOfCores(args);
    if (lack === undefined) {
        return;
    }
    const { giver, need, tasks } = lack;
    const found = `is ${tasks}; a rank needs ${need} cores for it, more than ${giver} gives.`;
    args.cores = need;
    reader.warn(
        "spec.tasks",
        `${found} ${SEES} So cores is now ${need}, and the tasks share the CPUs; or raise the amount.`,
    );
}

/** The operator starts a batch as an instance of Flux of its own, with so many tasks. */
function warnOfBatch(reader: Reader, spec: Fields, args: Values): void {
    const isBatch = args.command !== undefined && (spec.containers as Fields[]).some(({ batch }) => batch);
    if (isBatch && spec.tasks !== undefined) {
        const reason = `is ${spec.tasks}, the size of the instance for the batch; here its jobs use the whole cluster.`;
        reader.warn("spec.tasks", `${reason} Give fewer cores or a smaller size, if fewer jobs should run at a time.`);
    }
}

/** Warns of an amount by which jobs of a launcher, a batch or a user get fewer cores than with the operator. */
function warnOfCores(reader: Reader, spec: Fields, args: Values): void {
    const amounts = amountsOf(args);
    const cpu = amounts.limits.cpu ?? amounts.requests.cpu;
    if (args.cores === undefined && cpu !== undefined && !hasConfig(args)) {
        const index = spec.containers.length === 1 ? 0 : spec.containers.findIndex(({ runFlux }: Fields) => runFlux);
        const reason = `is "${cpu}". ${SEES} Give cores, if jobs should have more.`;
        reader.warn(`spec.containers[${index}].${giverOfCores(undefined, amounts)}`, reason);
    }
}
