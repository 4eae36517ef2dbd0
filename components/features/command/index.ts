import type { Input } from "@pulumi/pulumi";

import { scriptsIn } from "../../parts/scripts";
import { escapeExpansion } from "../../parts/variables";
import { validateAtLeast } from "../../rules/atLeast";
import { validateWords } from "../../rules/command";
import type { Problem } from "../../rules/problem";
import type { MiniClusterSpec } from "../../spec";
import type { Feature } from "../feature";

export interface CommandArguments {
    /**
     * Program and arguments, kept as they are: no shell reads them. Rank 0 runs it through Flux and the cluster ends
     * with it. @default none: the cluster stays and takes jobs
     */
    command?: Input<Input<string>[]>;
    /** Tasks of the command. @default one for each rank */
    tasks?: Input<number>;
    /** Cores that each task gets. @default 1 */
    coresPerTask?: Input<number>;
    /** GPUs that each task gets. @default 0 */
    gpusPerTask?: Input<number>;
    /** Run the command once, on rank 0, as Flux' initial program: it submits the work itself. @default false */
    launcher?: Input<boolean>;
    /** Folder in which the command starts. @default the image's */
    workingDirectory?: Input<string>;
}

export interface Decided {
    readonly command: readonly string[];
    readonly tasks?: number;
    readonly coresPerTask?: number;
    readonly gpusPerTask?: number;
    readonly launcher: boolean;
    readonly workingDirectory?: string;
}

declare module "../../spec" {
    interface MiniClusterSpec extends Decided {}
}

export const command: Feature<CommandArguments, Decided> = {
    decide: ({ command: words = [], coresPerTask, gpusPerTask, launcher = false, tasks, workingDirectory }) => ({
        command: words, tasks, coresPerTask, gpusPerTask, launcher, workingDirectory,
    }),

    problems: (spec) => [
        ...validateWords(spec.command),
        ...validateTaskNumbers(spec),
        ...validateLauncher(spec),
        ...validateTasks(spec),
        ...validateAtLeast([["tasks", spec.tasks, 1], ["coresPerTask", spec.coresPerTask, 1], ["gpusPerTask", spec.gpusPerTask, 0]]),
    ],

    files: ({ mode }) => scriptsIn(__dirname, "lead.sh", "task.sh", ...(mode === "persistent" ? ["stay.sh"] : [])),

    parameters: ({ coresPerTask, gpusPerTask, launcher, mode, tasks }) => ({
        coresPerTask: numeral(coresPerTask),
        gpusPerTask: numeral(gpusPerTask),
        launcher: String(launcher),
        mode,
        tasks: numeral(tasks),
    }),

    container: (spec) => ({ args: spec.command.map(escapeExpansion), workingDir: spec.workingDirectory }),

    // A rank that an autoscaler moves takes the whole command with it.
    podAnnotations: ({ mode }) => (mode === "ephemeral" ? KEEP : {}),
};

const KEEP = { "cluster-autoscaler.kubernetes.io/safe-to-evict": "false", "karpenter.sh/do-not-disrupt": "true" };

function numeral(value: number | undefined): string | undefined {
    return value === undefined ? undefined : String(value);
}

/** Numbers of the command's tasks, where nothing makes tasks of them. */
function validateTaskNumbers({ coresPerTask, gpusPerTask, launcher, mode, tasks }: MiniClusterSpec): Problem[] {
    if (mode === "ephemeral" && !launcher) {
        return [];
    }
    const why = launcher ? "the launcher decides it" : "there is no command";
    return Object.entries({ tasks, coresPerTask, gpusPerTask }).flatMap(([property, value]) =>
        value === undefined ? [] : [{ property, reason: `is ${value}, but ${why}. Remove it.` }],
    );
}

function validateLauncher({ launcher, mode }: MiniClusterSpec): Problem[] {
    const reason = "is true, but there is no command to launch. Give a command.";
    return launcher && mode === "persistent" ? [{ property: "launcher", reason }] : [];
}

/** Flux would refuse such a job as unsatisfiable, but only after all pods are up. */
function validateTasks(spec: MiniClusterSpec): Problem[] {
    const { launcher, mode, rank, size, tasks = size } = spec;
    const isJudged = mode === "ephemeral" && !launcher && size >= 1 && tasks >= 1;
    if (rank === undefined || !isJudged) {
        return [];
    }
    const perRank = Math.ceil(tasks / Math.min(tasks, size));
    return [...validateCores(perRank, spec, rank.cores), ...validateGpus(perRank, spec, rank.gpus)];
}

function validateCores(perRank: number, { coresPerTask = 1, size, tasks = size }: MiniClusterSpec, has: number): Problem[] {
    const need = perRank * coresPerTask;
    const reason = `${tasks} on ${size} ranks need ${need} cores of each rank, and its limit gives it ${has}.`;
    const cure = "Lower tasks or coresPerTask, or raise size or limits.cpu.";
    return need > has ? [{ property: "tasks", reason: `${reason} ${cure}` }] : [];
}

function validateGpus(perRank: number, { gpusPerTask = 0, size, tasks = size }: MiniClusterSpec, has: number): Problem[] {
    const need = perRank * gpusPerTask;
    const reason = `${tasks} tasks on ${size} ranks need ${need} GPUs of each rank, and its limits give ${has}.`;
    return need > has ? [{ property: "gpusPerTask", reason: `${reason} Lower it, or raise the GPUs in resources.limits.` }] : [];
}
