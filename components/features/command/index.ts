import type { Input } from "@pulumi/pulumi";

import { RUN_OPTION_NAMES, type RunOptions, runOptionsOf, runOptionWords } from "../../../provider/contract/runOptions";
import { scriptsIn } from "../../parts/scripts";
import { unixWords } from "../../parts/unixText";
import { escapeExpansion } from "../../parts/variables";
import { lineNotice, validateWords } from "../../rules/command";
import type { Problem } from "../../rules/problem";
import type { RunOptionsArguments } from "../../runOptions/args";
import { countOf, ownTasksNotice } from "../../runOptions/ownTasks";
import { validateRunOptions } from "../../runOptions/rules";
import type { Decide, MiniClusterSpec } from "../../spec";
import type { Feature } from "../feature";
import { giverOfCores, toldCores } from "../resources";

export interface CommandArguments extends RunOptionsArguments {
    /**
     * Program and arguments, which the lead runs through Flux: the cluster is ephemeral, it ends with the program. No
     * shell reads them; for a shell, give `["bash", "-c", "..."]`. Without a command the cluster is persistent: it runs
     * until it is destroyed, and takes jobs.
     * @default none: a persistent cluster
     */
    command?: Input<Input<string>[]>;
    /**
     * Number of nodes, which are ranks of the cluster, on which the command runs, as `flux run -N`.
     * @default all ranks, but no more than `tasks`
     */
    nodes?: Input<number>;
    /**
     * Number of tasks of the command, as `flux run -n`. They are spread over `nodes`, by default over all ranks. With a
     * `minSize` below `size`, they are spread over the ranks that have joined when the command starts.
     * @default one for each rank
     */
    tasks?: Input<number>;
    /**
     * GPUs of each task, as `flux run -g`. By default the tasks of a rank divide its GPUs among them. If there are fewer
     * GPUs than tasks, or if Flux can't schedule GPUs (before 0.84, without Fluxion), each task sees all GPUs of its rank.
     * With 0, tasks see no GPU.
     * @default the rank's GPUs, divided by its tasks
     */
    gpusPerTask?: Input<number>;
    /**
     * Run the command once, on the lead, as Flux' initial program: the command submits the work itself. It gets the
     * variables of `environment`, secret ones too; `flux run`, `flux submit` and `flux batch` leave the secret ones out of
     * jobspecs, and each task gets them from its own rank. It doesn't get HOSTNAME, JOB_COMPLETION_INDEX and
     * MINICLUSTER_*, which would be the lead's in every job.
     * @default false
     */
    launcher?: Input<boolean>;
    /** Directory in which the command starts. @default the path of `code`, else the image's */
    workingDir?: Input<string>;
}

export type Decided = RunOptions & Decide<Omit<CommandArguments, keyof RunOptions>, "command" | "launcher">;

export const command: Feature<CommandArguments, Decided> = {
    decide: (args) => ({
        ...runOptionsOf(args),
        command: unixWords(args.command ?? []),
        launcher: args.launcher ?? false,
        workingDir: args.workingDir,
    }),

    problems: (spec) => [
        ...validateWords(spec.command),
        ...validateNoRun(spec),
        ...validateLauncher(spec),
        ...validateNodes(spec),
        ...validateTasks(spec),
        ...validateRunOptions(spec, spec.nodes ?? spec.size),
    ],

    notices: (spec) => [...noticeLayout(spec), ...noticeWords(spec)],

    files: (spec) => scriptsIn(__dirname, "lead.sh", "task.sh", ...ownScripts(spec)),

    parameters: (spec) => ({
        coresPerTask: numeral(spec.coresPerTask),
        gpusPerTask: numeral(spec.gpusPerTask),
        launcher: String(spec.launcher),
        mode: spec.mode,
        nodes: numeral(spec.nodes ?? (spec.minSize === spec.size && !spec.mayGrow ? spec.size : undefined)),
        quickEnd: spec.mode === "ephemeral" && !hasWorkAtItsEnd(spec) ? "true" : undefined,
        runOptions: runOptionWords({ ...runOptionsOf(spec), ...LAYOUT }).join("\n"),
        tasks: numeral(spec.tasks),
        tasksPerNode: numeral(spec.tasksPerNode),
    }),

    container: (spec) => ({ args: spec.command.map(escapeExpansion), workingDir: spec.workingDir ?? spec.code?.path }),
    statusInputs: { commandNodes: (spec) => spec.nodes, ephemeral: (spec) => spec.mode === "ephemeral" },
};

/** The scripts that only some modes need. */
function ownScripts({ launcher, mode }: MiniClusterSpec): string[] {
    return mode === "persistent" ? ["stay.sh"] : launcher ? [] : ["output.sh"];
}

/**
 * True if the arguments may give the lead's broker work for its own end: a dump, a script of the user, or, in a
 * configuration of the user, the housekeeping after a job.
 * @see https://flux-framework.readthedocs.io/projects/flux-core/en/latest/man7/flux-broker-attributes.html
 * @see https://flux-framework.readthedocs.io/projects/flux-core/en/latest/man5/flux-config-job-manager.html
 */
function hasWorkAtItsEnd({ broker }: MiniClusterSpec): boolean {
    const { "broker.rc3_path": script, "content.dump": dump } = broker.attributes;
    return [dump, script, broker.config, broker.extraConfig].some((reason) => reason !== undefined);
}

/** The options that the lead gives to Flux itself, because it knows how many ranks have joined. */
const LAYOUT = {
    nodes: undefined,
    tasks: undefined,
    tasksPerNode: undefined,
    coresPerTask: undefined,
    gpusPerTask: undefined,
};

function numeral(value: number | undefined): string | undefined {
    return value === undefined ? undefined : String(value);
}

/** Refuses options of `flux run` if the lead doesn't run the command by it. */
function validateNoRun(spec: MiniClusterSpec): Problem[] {
    const { launcher, mode } = spec;
    if (mode === "ephemeral" && !launcher) {
        return [];
    }
    const why = launcher ? "with launcher the command decides on it" : "there is no command";
    return RUN_OPTION_NAMES.flatMap((property) => {
        const value = spec[property];
        const isGiven = value !== undefined && value !== false;
        return isGiven ? [{ property, reason: `${shown(value)}, but ${why}. Remove it.` }] : [];
    });
}

function shown(value: unknown): string {
    if (typeof value === "object") {
        return "is given";
    }
    return typeof value === "string" ? `is "${value}"` : `is ${value}`;
}

/** Refuses more nodes than the cluster has. The command would wait until another update adds ranks. */
function validateNodes({ mode, nodes, size }: MiniClusterSpec): Problem[] {
    if (nodes === undefined || nodes <= size || mode === "persistent") {
        return [];
    }
    const reason = `is ${nodes}, above size ${size}; the nodes are ranks of the cluster. Lower it or raise size.`;
    return [{ property: "nodes", reason }];
}

/** The number of nodes on which the command runs at least. */
function fewestNodes({ minSize, nodes = minSize }: MiniClusterSpec): number {
    return nodes;
}

/** Tells that the command may run on fewer ranks than `size`. */
function noticeLayout(spec: MiniClusterSpec): Problem[] {
    const { launcher, minSize, mode, size, tasks = size } = spec;
    const mayBeSmaller = mode === "ephemeral" && !launcher && isSmallerQuorum(spec) && minSize < tasks;
    const reason = `is ${minSize}, below size ${size}; the command runs on the ranks that have joined when it starts, ${minSize} or more.`;
    return mayBeSmaller ? [{ property: "minSize", reason: `${reason} ${LAYOUT_CURE}` }] : [];
}

const LAYOUT_CURE = "To run it on a fixed number of ranks, give nodes, or remove minSize.";

function validateLauncher({ launcher, mode }: MiniClusterSpec): Problem[] {
    const reason = "is true, but there is no command. Give a command.";
    return launcher && mode === "persistent" ? [{ property: "launcher", reason }] : [];
}

/** Without `launcher`, each task would start tasks. Without a shell, nothing splits a line. */
function noticeWords(spec: MiniClusterSpec): Problem[] {
    const { command: words, launcher, rendezvous, size } = spec;
    const around = { hasRendezvous: rendezvous !== undefined, count: countOf(spec, size) };
    const reasons = [lineNotice(words), launcher ? undefined : ownTasksNotice(words, "cluster", around)];
    return reasons.flatMap((reason) => (reason === undefined ? [] : [{ property: "command", reason }]));
}

/**
 * Refuses tasks for which the ranks have too few cores or GPUs. Flux would refuse the job as unsatisfiable, but only
 * after all pods are up.
 */
function validateTasks(spec: MiniClusterSpec): Problem[] {
    const { launcher, mode, size, tasksPerNode } = spec;
    const nodes = fewestNodes(spec);
    const { tasks = nodes } = spec;
    const isRun = mode === "ephemeral" && !launcher && tasksPerNode === undefined;
    const isJudged = isRun && Math.min(size, nodes, tasks) >= 1;
    return isJudged ? validateRank(Math.ceil(tasks / Math.min(tasks, nodes)), spec) : [];
}

/** Without amounts of the user, the pods find their cores. */
function validateRank(perRank: number, spec: MiniClusterSpec): Problem[] {
    const { gpus } = spec.rank;
    const cores = toldCores(spec);
    return [
        ...(cores === undefined || cores < 1 ? [] : validateCores(perRank, spec, cores)),
        ...(cores !== undefined || gpus > 0 ? validateGpus(perRank, spec, gpus) : []),
    ];
}

function validateCores(perRank: number, spec: MiniClusterSpec, has: number): Problem[] {
    const { coresPerTask = 1, tasks = fewestNodes(spec) } = spec;
    const need = perRank * coresPerTask;
    const giver = giverOfCores(spec.cores, spec.resources);
    const reason = `is ${tasks}; ${ranksNeed(spec, need, "cores")} for it, but ${giver} gives ${has}.`;
    const cure = `Lower tasks or coresPerTask, or raise ${isSmallerQuorum(spec) ? "minSize" : "size"} or the cores.`;
    return need > has ? [{ property: "tasks", reason: `${reason} ${cure}` }] : [];
}

function validateGpus(perRank: number, spec: MiniClusterSpec, has: number): Problem[] {
    const { gpus, gpusPerTask = 0, tasks = fewestNodes(spec) } = spec;
    const need = perRank * gpusPerTask;
    const [giver, cure] = gpus === undefined ? ["resources.limits", "raise the limit"] : ["gpus", "raise gpus"];
    const reason = `is ${gpusPerTask}; ${ranksNeed(spec, need, "GPUs")} for ${tasks} tasks, but ${giver} gives ${has}.`;
    return need > has ? [{ property: "gpusPerTask", reason: `${reason} Lower it, or ${cure}.` }] : [];
}

/** True if the command may run on fewer ranks than `size`. */
function isSmallerQuorum({ minSize, nodes, size }: MiniClusterSpec): boolean {
    return nodes === undefined && minSize < size;
}

function ranksNeed(spec: MiniClusterSpec, amount: number, unit: string): string {
    const count = fewestNodes(spec);
    const from = isSmallerQuorum(spec) ? " (minSize)" : "";
    return count === 1 ? `1 rank${from} needs ${amount} ${unit}` : `${count} ranks${from} need ${amount} ${unit} each`;
}
