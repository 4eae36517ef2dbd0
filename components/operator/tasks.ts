import { parseQuantity } from "../../provider/contract/quantity";
import { RUN_OPTION_NAMES } from "../../provider/contract/runOptions";
import type { Fields, Reader, Values } from "./reader";

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

const SEES = "Flux has only these cores in a rank; with the operator, it has all cores of the node.";

/**
 * In the operator's pods, Flux counts the cores of the node, whatever the limit is. Tasks that need more cores than the
 * limit has share them by `tasksPerNode`.
 */
function spreadTasks(reader: Reader, args: Values): void {
    const { coresPerTask = 1, nodes, size = 1 } = args;
    const { tasks = nodes ?? size } = args;
    const perRank = tasks / Math.min(tasks, nodes ?? size);
    if (Math.ceil(perRank) * coresPerTask <= coresIn(limitOf(args))) {
        return;
    }
    if (Number.isInteger(perRank) && coresPerTask === 1 && args.gpusPerTask === undefined) {
        shareCores(reader, args, perRank);
    } else {
        moveLimit(reader, args, `is ${tasks} with ${coresPerTask} cores each, more than ${size} ranks have`);
    }
}

function shareCores(reader: Reader, args: Values, perRank: number): void {
    const { size = 1, tasks } = args;
    const found = `is ${tasks}, more than the cores of ${size} ranks with resources.limits.cpu "${limitOf(args)}".`;
    const cure = `It is now tasksPerNode: ${perRank}, so the tasks share the cores; or raise the limit.`;
    delete args.tasks;
    delete args.coresPerTask;
    args.tasksPerNode = perRank;
    reader.warn("spec.tasks", `${found} ${SEES} ${cure}`);
}

/** Sets the limit in the pod template only, where Flux doesn't count it. */
function moveLimit(reader: Reader, args: Values, found: string): void {
    const { cpu, ...limits } = args.resources.limits;
    const { cpu: requested = cpu, ...requests } = args.resources.requests ?? {};
    args.resources = { limits, requests: { ...requests, cpu: requested } };
    args.limitOfTemplate = cpu;
    const reason = `${found} with resources.limits.cpu "${cpu}". ${SEES}`;
    reader.warn(
        "spec.tasks",
        `${reason} So the limit is now in podTemplate, which Flux doesn't count; or raise the limit.`,
    );
}

function limitOf({ resources }: Values): string | undefined {
    return resources?.limits?.cpu;
}

/** The cores of a rank with this limit. Without one, Flux counts those of the node. */
function coresIn(limit: string | undefined): number {
    const amount = limit === undefined ? undefined : parseQuantity(limit);
    return amount === undefined ? Infinity : Math.max(1, Math.floor(amount));
}

/** The operator starts a batch as an instance of Flux of its own, with so many tasks. */
function warnOfBatch(reader: Reader, spec: Fields, args: Values): void {
    const isBatch = args.command !== undefined && (spec.containers as Fields[]).some(({ batch }) => batch);
    if (isBatch && spec.tasks !== undefined) {
        const reason = `is ${spec.tasks}, the size of the instance for the batch; here its jobs use the whole cluster.`;
        reader.warn(
            "spec.tasks",
            `${reason} Give less resources.limits.cpu or a smaller size, if fewer jobs should run at a time.`,
        );
    }
}

/** Warns of a limit by which jobs of a launcher, a batch or a user get fewer cores than with the operator. */
function warnOfCores(reader: Reader, spec: Fields, args: Values): void {
    const limit = limitOf(args);
    if (limit !== undefined) {
        const index = spec.containers.length === 1 ? 0 : spec.containers.findIndex(({ runFlux }: Fields) => runFlux);
        const reason = `is "${limit}". ${SEES} Jobs that need more tasks share the cores with flux run --tasks-per-node.`;
        reader.warn(`spec.containers[${index}].resources.limits.cpu`, reason);
    }
}
