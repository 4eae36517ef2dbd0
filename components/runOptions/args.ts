import type { Input } from "@pulumi/pulumi";

/** A signal that Flux sends to a job before its time limit. */
export interface SignalArgs {
    /** Name of the signal, such as `TERM` or `SIGTERM`. @default USR1 */
    name?: Input<string>;
    /** Seconds before `timeLimit`. @default 60 */
    timeLeft?: Input<number>;
}

/**
 * How Flux runs a command, for MiniCluster's command and FluxJob. Both add `nodes` and `tasks`, whose defaults differ.
 */
export interface RunOptionsArguments {
    /**
     * Number of tasks on each node, as `flux run --tasks-per-node`. The command gets whole nodes, and its tasks share
     * the cores and GPUs of their node. In place of `tasks`, `coresPerTask` and `gpusPerTask`. A FluxJob also needs
     * `nodes`.
     * @default as `tasks` says
     */
    tasksPerNode?: Input<number>;
    /** Cores of each task, as `flux run -c`. @default 1 */
    coresPerTask?: Input<number>;
    /** GPUs of each task, as `flux run -g`. @default 0 */
    gpusPerTask?: Input<number>;
    /**
     * Give the command whole nodes with all cores and GPUs, as `flux run --exclusive`. A FluxJob also needs `nodes`.
     * @default false
     */
    exclusive?: Input<boolean>;
    /** Seconds after which Flux ends the command. @default no limit */
    timeLimit?: Input<number>;
    /** A signal that Flux sends to the tasks before `timeLimit`, as `flux run --signal`. @default none */
    signal?: Input<SignalArgs>;
    /**
     * Queue of Flux, as `flux run --queue`. The queues of a cluster are in its broker.toml.
     * @default that of broker.toml, if it has queues
     */
    fluxQueue?: Input<string>;
    /**
     * Urgency from 0 to 31, as `flux run --urgency`: of the waiting jobs, Flux starts the most urgent first. 0 holds the
     * job until `flux job urgency` raises it.
     * @default 16
     */
    urgency?: Input<number>;
    /**
     * Nodes on which the command may run, as `flux run --requires`: a constraint such as `host:mc-[0-1]`, `rank:0-3`, or
     * the name of a property. `not`, `and`, `or` and parentheses combine constraints.
     * @default any nodes
     */
    requires?: Input<string>;
    /**
     * Options of Flux' job shell, as `flux run -o NAME=VALUE`: for example `cpu-affinity`, `gpu-affinity`, `pmi`, `mpi`,
     * `exit-timeout`. Flux ignores a name that it doesn't know.
     * @default { "cpu-affinity": "off" } if other pods may use the same cores, else none
     */
    shellOptions?: Input<{ [name: string]: Input<string> }>;
    /** File that each task reads as its standard input, as `flux run --input`. @default none: an empty input */
    inputFile?: Input<string>;
    /**
     * File for the standard output of the tasks, and for the standard error without `errorFile`, as `flux run --output`.
     * Flux replaces tags such as `{{id}}`, `{{name}}`, `{{node.name}}` and `{{taskid}}`. The path is relative to the
     * working directory. Without a tag of a node or a task, the first node of the command writes the file; a volume
     * keeps it. The log then doesn't have the output.
     * @default none: the log
     */
    outputFile?: Input<string>;
    /** File for the standard error of the tasks, as `flux run --error`. See `outputFile`. @default as `outputFile` */
    errorFile?: Input<string>;
}
