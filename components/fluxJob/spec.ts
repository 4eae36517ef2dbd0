import { given } from "../arguments/given";
import { checkArguments } from "../arguments/shape";
import { JOB_ARGUMENTS } from "../generated/shapes";
import { validateAtLeast } from "../rules/atLeast";
import { validateWords } from "../rules/command";
import { validateEnvironment } from "../rules/environment";
import type { Problem } from "../rules/problem";

/** Defaults of a FluxJob. */
export const DEFAULTS = { wait: true, rerunFailed: true, ready: 300, maxBytes: 16384 } as const;

/** The arguments that the rules check, with their defaults. */
export interface FluxJobSpec {
    readonly command: readonly string[];
    readonly nodes?: number;
    readonly tasks?: number;
    readonly coresPerTask?: number;
    readonly gpusPerTask?: number;
    readonly environment: Readonly<Record<string, string>>;
    readonly secretNames: readonly string[];
    readonly timeLimit?: number;
    readonly timeouts: { readonly ready: number; readonly completed?: number };
    readonly maxBytes: number;
}

/** Arguments without Outputs, without those that say where the job runs and when it is submitted again. */
export type PlainJob = Partial<Omit<FluxJobSpec, "maxBytes" | "timeouts">> & {
    readonly cluster?: { readonly name?: string; readonly namespace?: string; readonly uid?: string };
    readonly output?: { readonly maxBytes?: number; readonly secret?: boolean };
    readonly timeouts?: Partial<FluxJobSpec["timeouts"]>;
};

/** The job with its defaults, or all problems of its arguments. */
export function decideJob(
    args: PlainJob,
    secretNames: readonly string[],
): { readonly spec?: FluxJobSpec; readonly problems: Problem[] } {
    const misshapen = [...missing(args), ...checkArguments(args, JOB_ARGUMENTS)];
    if (misshapen.length > 0) {
        return { problems: misshapen };
    }
    const spec = withDefaults(given(args, JOB_ARGUMENTS), secretNames);
    const problems = validateJob(spec);
    return problems.length > 0 ? { problems } : { spec, problems };
}

function withDefaults(args: PlainJob, secretNames: readonly string[]): FluxJobSpec {
    const {
        command = [],
        coresPerTask,
        environment = {},
        gpusPerTask,
        nodes,
        output,
        tasks,
        timeLimit,
        timeouts,
    } = args;
    const limits = { ready: timeouts?.ready ?? DEFAULTS.ready, completed: timeouts?.completed };
    const maxBytes = output?.maxBytes ?? DEFAULTS.maxBytes;
    return {
        command,
        coresPerTask,
        environment,
        gpusPerTask,
        maxBytes,
        nodes,
        secretNames,
        tasks,
        timeLimit,
        timeouts: limits,
    };
}

function missing({ cluster, command }: PlainJob): Problem[] {
    const problems: Problem[] = [];
    if (cluster === undefined || cluster === null) {
        problems.push({
            property: "cluster",
            reason: "is missing; give a MiniCluster, or its outputs from a StackReference.",
        });
    } else if (!isText(cluster.name) || !isText(cluster.namespace)) {
        const reason =
            "has no name or no namespace; give a MiniCluster, or its outputs name, namespace and uid from a StackReference.";
        problems.push({ property: "cluster", reason });
    }
    if (command === undefined || command === null || command.length === 0) {
        problems.push({ property: "command", reason: "is missing; give a program and its arguments." });
    }
    return problems;
}

function isText(value: unknown): boolean {
    return typeof value === "string" && value !== "";
}

function validateJob(spec: FluxJobSpec): Problem[] {
    const { gpusPerTask, nodes, tasks } = spec;
    const problems = [
        ...validateWords(spec.command),
        ...validateEnvironment(spec),
        ...validateAtLeast([
            ["nodes", nodes, 1],
            ["tasks", tasks, 1],
            ["coresPerTask", spec.coresPerTask, 1],
            ["gpusPerTask", gpusPerTask, 0],
            ["timeLimit", spec.timeLimit, 1],
            ["timeouts.ready", spec.timeouts.ready, 1],
            ["timeouts.completed", spec.timeouts.completed, 1],
            ["output.maxBytes", spec.maxBytes, 0],
        ]),
    ];
    if (nodes !== undefined && tasks !== undefined && nodes > tasks) {
        const reason = `is ${nodes}, above tasks ${tasks}; each node needs at least one task. Lower it or raise tasks.`;
        problems.push({ property: "nodes", reason });
    }
    return problems;
}
