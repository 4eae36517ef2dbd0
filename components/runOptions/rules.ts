import type { RunOptions } from "../../provider/contract/runOptions";
import { validateAtLeast } from "../rules/atLeast";
import type { Problem } from "../rules/problem";
import { validateConstraint } from "./constraint";
import { validateFiles } from "./files";
import { validateShellOptions } from "./shellOptions";
import { validateSignal } from "./signal";

/** Largest urgency, a limit of Flux. */
const MOST_URGENT = 31;

/**
 * All options that Flux would refuse or ignore. `nodes` is the number of nodes if none is given: undefined if Flux
 * then takes any nodes.
 */
export function validateRunOptions(options: RunOptions, nodes = options.nodes): Problem[] {
    return [
        ...validateAtLeast([
            ["nodes", options.nodes, 1],
            ["tasks", options.tasks, 1],
            ["tasksPerNode", options.tasksPerNode, 1],
            ["coresPerTask", options.coresPerTask, 1],
            ["gpusPerTask", options.gpusPerTask, 0],
            ["timeLimit", options.timeLimit, 1],
        ]),
        ...validateLayout(options, nodes),
        ...validateUrgency(options),
        ...validateSignal(options),
        ...validateQueue(options),
        ...validateConstraint("requires", options.requires),
        ...validateShellOptions(options),
        ...validateFiles(options),
    ];
}

function validateLayout(options: RunOptions, nodes: number | undefined): Problem[] {
    const { exclusive, tasks, tasksPerNode } = options;
    const problems = tasksPerNode === undefined ? [] : validatePerNode(options, nodes);
    if (options.nodes !== undefined && tasks !== undefined && options.nodes > tasks) {
        const reason = `is ${options.nodes}, above tasks ${tasks}; each node needs at least one task. Lower it or raise tasks.`;
        problems.push({ property: "nodes", reason });
    }
    if (exclusive && nodes === undefined) {
        const reason = "is true, but nodes is missing; Flux gives away whole nodes only if their number is known.";
        problems.push({ property: "exclusive", reason: `${reason} Give nodes.` });
    }
    return problems;
}

/** Flux takes either options for each task, or options for each node. */
function validatePerNode(options: RunOptions, nodes: number | undefined): Problem[] {
    const property = "tasksPerNode";
    const { coresPerTask, gpusPerTask, tasks, tasksPerNode } = options;
    const perTask = Object.entries({ tasks, coresPerTask, gpusPerTask: gpusPerTask || undefined });
    const given = perTask.filter(([, value]) => value !== undefined).map(([name, value]) => `${name} is ${value}`);
    const problems: Problem[] = [];
    if (given.length > 0) {
        const reason = `is ${tasksPerNode}, but ${given.join(" and ")}; Flux takes tasks for each node or numbers for each task, not both.`;
        problems.push({ property, reason: `${reason} Remove tasksPerNode, or the others.` });
    }
    if (nodes === undefined) {
        problems.push({ property, reason: `is ${tasksPerNode}, but nodes is missing. Give nodes.` });
    }
    return problems;
}

function validateUrgency({ urgency }: RunOptions): Problem[] {
    const isRight = urgency === undefined || (urgency >= 0 && urgency <= MOST_URGENT);
    return isRight ? [] : [{ property: "urgency", reason: `is ${urgency}; it must be from 0 to ${MOST_URGENT}.` }];
}

function validateQueue({ fluxQueue }: RunOptions): Problem[] {
    const property = "fluxQueue";
    if (fluxQueue === "") {
        return [{ property, reason: "is empty; give the name of a queue, or remove it." }];
    }
    return fluxQueue !== undefined && /[\0-\x1f]/.test(fluxQueue)
        ? [{ property, reason: "has a control character. Remove it." }]
        : [];
}
