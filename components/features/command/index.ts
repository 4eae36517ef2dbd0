import type { Input } from "@pulumi/pulumi";

import { scriptsIn } from "../../parts/scripts";
import { escapeExpansion } from "../../parts/variables";
import { validateAtLeast } from "../../rules/atLeast";
import { validateWords } from "../../rules/command";
import type { Problem } from "../../rules/problem";
import type { Decide, MiniClusterSpec } from "../../spec";
import type { Feature } from "../feature";

export interface CommandArguments {
    /**
     * Program and arguments, which the lead runs through Flux: the cluster is ephemeral, it ends with the program. No
     * shell reads them; for a shell, give `["bash", "-c", "..."]`. Without a command the cluster is persistent: it runs
     * until it is destroyed, and takes jobs.
     * @default none: a persistent cluster
     */
    command?: Input<Input<string>[]>;
    /**
     * Number of tasks of the command, as `flux run -n`. If the quorum is the whole cluster, they are spread over all
     * ranks. In an elastic cluster, they are spread over the ranks that have joined when the command starts.
     * @default one for each rank
     */
    tasks?: Input<number>;
    /** Cores of each task, as `flux run -c`. @default 1 */
    coresPerTask?: Input<number>;
    /** GPUs of each task, as `flux run -g`. @default 0 */
    gpusPerTask?: Input<number>;
    /**
     * Run the command once, on the lead, as Flux' initial program: the command submits the work itself. It gets the
     * variables of `environment`, secret ones too, and `flux run`, `flux submit` and `flux batch` copy its environment
     * into the jobspecs of its jobs: give them `--env-remove=NAME` for a secret. It doesn't get HOSTNAME,
     * JOB_COMPLETION_INDEX and MINICLUSTER_*, which would be the lead's in every job.
     * @default false
     */
    launcher?: Input<boolean>;
    /** Directory in which the command starts. @default the image's */
    workingDir?: Input<string>;
}

export type Decided = Decide<CommandArguments, "command" | "launcher">;

declare module "../../spec" {
    interface MiniClusterSpec extends Decided {}
}

export const command: Feature<CommandArguments, Decided> = {
    decide: ({ command: words = [], coresPerTask, gpusPerTask, launcher = false, tasks, workingDir }) => ({
        command: words,
        tasks,
        coresPerTask,
        gpusPerTask,
        launcher,
        workingDir,
    }),

    problems: (spec) => [
        ...validateWords(spec.command),
        ...validateTaskNumbers(spec),
        ...validateLauncher(spec),
        ...validateTasks(spec),
        ...validateAtLeast([
            ["tasks", spec.tasks, 1],
            ["coresPerTask", spec.coresPerTask, 1],
            ["gpusPerTask", spec.gpusPerTask, 0],
        ]),
    ],

    files: ({ mode }) => scriptsIn(__dirname, "lead.sh", "task.sh", ...(mode === "persistent" ? ["stay.sh"] : [])),

    parameters: (spec) => ({
        coresPerTask: numeral(spec.coresPerTask),
        gpusPerTask: numeral(spec.gpusPerTask),
        launcher: String(spec.launcher),
        mode: spec.mode,
        quickEnd: spec.mode === "ephemeral" && !hasWorkAtItsEnd(spec) ? "true" : undefined,
        tasks: numeral(spec.tasks),
    }),

    container: (spec) => ({ args: spec.command.map(escapeExpansion), workingDir: spec.workingDir }),

    // If an autoscaler removes one rank, the whole command fails.
    podAnnotations: ({ mode }) => (mode === "ephemeral" ? KEEP : {}),
};

/**
 * True if the arguments may give the lead's broker work for its own end: a dump, a script of the user, or, in a
 * broker.toml of the user, the housekeeping after a job.
 * @see https://flux-framework.readthedocs.io/projects/flux-core/en/latest/man7/flux-broker-attributes.html
 * @see https://flux-framework.readthedocs.io/projects/flux-core/en/latest/man5/flux-config-job-manager.html
 */
function hasWorkAtItsEnd({ broker }: MiniClusterSpec): boolean {
    const { "broker.rc3_path": script, "content.dump": dump } = broker.attributes;
    return [dump, script, broker.config].some((reason) => reason !== undefined);
}

const KEEP = { "cluster-autoscaler.kubernetes.io/safe-to-evict": "false", "karpenter.sh/do-not-disrupt": "true" };

function numeral(value: number | undefined): string | undefined {
    return value === undefined ? undefined : String(value);
}

/** Refuses numbers of tasks, cores and GPUs if Flux doesn't run the command as tasks. */
function validateTaskNumbers({ coresPerTask, gpusPerTask, launcher, mode, tasks }: MiniClusterSpec): Problem[] {
    if (mode === "ephemeral" && !launcher) {
        return [];
    }
    const why = launcher ? "with launcher the command decides on it" : "there is no command";
    return Object.entries({ tasks, coresPerTask, gpusPerTask }).flatMap(([property, value]) =>
        value === undefined ? [] : [{ property, reason: `is ${value}, but ${why}. Remove it.` }],
    );
}

function validateLauncher({ launcher, mode }: MiniClusterSpec): Problem[] {
    const reason = "is true, but there is no command. Give a command.";
    return launcher && mode === "persistent" ? [{ property: "launcher", reason }] : [];
}

/**
 * Refuses tasks for which the ranks have too few cores or GPUs. Flux would refuse the job as unsatisfiable, but only
 * after all pods are up.
 */
function validateTasks(spec: MiniClusterSpec): Problem[] {
    const { launcher, mode, rank, size, tasks = size } = spec;
    const isJudged = mode === "ephemeral" && !launcher && size >= 1 && tasks >= 1;
    if (rank === undefined || !isJudged) {
        return [];
    }
    const perRank = Math.ceil(tasks / Math.min(tasks, size));
    return [...validateCores(perRank, spec, rank.cores), ...validateGpus(perRank, spec, rank.gpus)];
}

function validateCores(
    perRank: number,
    { coresPerTask = 1, size, tasks = size }: MiniClusterSpec,
    has: number,
): Problem[] {
    const need = perRank * coresPerTask;
    const reason = `is ${tasks}; ${size} ranks need ${need} cores each for it, but resources.limits.cpu gives ${has}.`;
    const cure = "Lower tasks or coresPerTask, or raise size or the limit.";
    return need > has ? [{ property: "tasks", reason: `${reason} ${cure}` }] : [];
}

function validateGpus(
    perRank: number,
    { gpusPerTask = 0, size, tasks = size }: MiniClusterSpec,
    has: number,
): Problem[] {
    const need = perRank * gpusPerTask;
    const reason = `is ${gpusPerTask}; ${size} ranks need ${need} GPUs each for ${tasks} tasks, but resources.limits gives ${has}.`;
    return need > has ? [{ property: "gpusPerTask", reason: `${reason} Lower it, or raise the limit.` }] : [];
}
