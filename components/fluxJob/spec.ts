import { RUN_OPTION_NAMES, type RunOptions } from "../../provider/contract/runOptions";
import type { ArraySize } from "../../provider/flux/job";
import { dropNulls } from "../arguments/dropNulls";
import { decide, type Decision, type Description } from "../arguments/describe";
import { isLater } from "../arguments/outputs";
import { JOB_ARGUMENTS, JOB_ARGUMENTS_IMMEDIATE } from "../generated/shapes";
import { type CodeFolderArgs, folderOf, type FolderSpec } from "../features/code";
import { Interrupt, validateStream } from "../features/update";
import { portWord, type Rendezvous } from "../features/rendezvous/rendezvous";
import { lazily } from "../parts/lazily";
import { unixWords } from "../parts/unixText";
import { validateAtLeast } from "../rules/atLeast";
import { lineNotice, validateWords } from "../rules/command";
import { validateEnvironment } from "../rules/environment";
import { validatePort } from "../rules/port";
import type { Problem } from "../rules/problem";
import { validateRunOptions } from "../runOptions/rules";
import { type Place, type PlainAfter, validateAfter } from "./after";
import { validateArray } from "./array";
import { codeInput, noticesOfCode, validateCode } from "./code";
import { decideResults, type JobResultsSpec, noticesOfResults, type PlainJobResults, validateResults } from "./results";
import { countOf, ownTasksNotice } from "../runOptions/ownTasks";

/** A job with all defaults. */
export interface FluxJobSpec extends RunOptions {
    readonly command: readonly string[];
    readonly cluster?: Place;
    readonly array?: ArraySize;
    readonly after?: readonly PlainAfter[];
    readonly rendezvous?: Rendezvous;
    readonly environment: Readonly<Record<string, string>>;
    readonly secretNames: readonly string[];
    readonly workingDir?: string;
    readonly code?: FolderSpec;
    readonly results?: JobResultsSpec;
    readonly wait: boolean;
    readonly rerunFailed: boolean;
    readonly interrupt: Interrupt;
    readonly timeouts: { readonly ready: number; readonly completed?: number };
    readonly maxBytes: number;
    readonly secretOutput: boolean;
    readonly streamOutput: boolean;
}

/** Arguments without Outputs, without those that say how to reach the cluster and when the job is submitted again. */
export type PlainJob = Partial<
    Omit<FluxJobSpec, "code" | "maxBytes" | "results" | "secretOutput" | "streamOutput" | "timeouts">
> & {
    readonly code?: CodeFolderArgs;
    readonly results?: PlainJobResults;
    readonly output?: { readonly maxBytes?: number; readonly secret?: boolean; readonly stream?: boolean };
    readonly timeouts?: Partial<FluxJobSpec["timeouts"]>;
};

export const JOB: Description<PlainJob, FluxJobSpec> = {
    shapes: JOB_ARGUMENTS,
    immediate: JOB_ARGUMENTS_IMMEDIATE,
    missing,
    decide: withDefaults,
    rules,
};

/** The job with its defaults, or all problems of its arguments. */
export function decideJob(args: PlainJob, secretNames: readonly string[]): Decision<FluxJobSpec> {
    return decide(JOB, dropNulls(args, JOB_ARGUMENTS), secretNames);
}

function withDefaults(args: PlainJob, secretNames: () => readonly string[]): FluxJobSpec {
    const runOptions = RUN_OPTION_NAMES.map((name) => [name, () => args[name]]);
    return lazily<FluxJobSpec>({
        ...(Object.fromEntries(runOptions) as { [Option in keyof RunOptions]-?: () => RunOptions[Option] }),
        after: () => args.after,
        array: () => args.array,
        cluster: () => args.cluster,
        code: () => args.code && folderOf(args.code),
        command: () => unixWords(args.command ?? []),
        environment: () => args.environment ?? {},
        interrupt: () => args.interrupt ?? Interrupt.Refuse,
        maxBytes: () => args.output?.maxBytes ?? 16384,
        rendezvous: () => args.rendezvous,
        results: () => args.results && decideResults(args.results),
        rerunFailed: () => args.rerunFailed ?? true,
        secretNames,
        secretOutput: () => args.output?.secret ?? false,
        streamOutput: () => args.output?.stream ?? false,
        timeouts: () => ({ ready: args.timeouts?.ready ?? 300, completed: args.timeouts?.completed }),
        wait: () => args.wait ?? true,
        workingDir: () => args.workingDir,
    });
}

/** The inputs of the submission that are values of the spec. */
export const DECIDED = [
    ...RUN_OPTION_NAMES,
    "command",
    "environment",
    "interrupt",
    "maxBytes",
    "rerunFailed",
    "timeouts",
    "wait",
] as const;

/** The inputs that only some jobs have, by their arguments. */
export const GIVEN = {
    array: ({ array }: FluxJobSpec): ArraySize | undefined => array,
    code: codeInput,
    rendezvous: ({ rendezvous }: FluxJobSpec): string | undefined => rendezvous && portWord(rendezvous),
} as const;

function missing({ cluster, command }: PlainJob): Problem[] {
    const problems: Problem[] = [];
    if (cluster === undefined || cluster === null) {
        problems.push({
            property: "cluster",
            reason: "is missing; give a MiniCluster, or its outputs from a StackReference.",
        });
    } else if (!isLater(cluster) && !(isTextOrLater(cluster.name) && isTextOrLater(cluster.namespace))) {
        const reason =
            "has no name or no namespace; give a MiniCluster, or its outputs name, namespace and uid from a StackReference.";
        problems.push({ property: "cluster", reason });
    }
    if (command === undefined || command === null || command.length === 0) {
        problems.push({ property: "command", reason: "is missing; give a program and its arguments." });
    }
    return problems;
}

function isTextOrLater(value: unknown): boolean {
    return isLater(value) || (typeof value === "string" && value !== "");
}

function rules(spec: FluxJobSpec): (() => Problem[])[] {
    return [
        () => (spec.rendezvous?.port === undefined ? [] : validatePort("rendezvous.port", spec.rendezvous.port)),
        () => validateWords(spec.command),
        () => validateEnvironment(spec),
        () => validateRunOptions(spec),
        () => validateArray(spec),
        () => validateStream({ secret: spec.secretOutput, stream: spec.streamOutput }),
        () => validateArrayStream(spec),
        () => validateCode(spec),
        () => validateResults(spec),
        () => (spec.cluster === undefined ? [] : validateAfter(spec.after, spec.cluster)),
        () =>
            validateAtLeast([
                ["timeouts.ready", spec.timeouts.ready, 1],
                ["timeouts.completed", spec.timeouts.completed, 1],
                ["output.maxBytes", spec.maxBytes, 0],
            ]),
    ];
}

function validateArrayStream({ array, streamOutput }: FluxJobSpec): Problem[] {
    const reason =
        "is true, but the row of an array shows how many elements are done. Remove it, or submit FluxJobs without array.";
    return streamOutput && array !== undefined ? [{ property: "output.stream", reason }] : [];
}

/** What the preview says of a job that works badly on any cluster. */
export function noticesOfJob(job: FluxJobSpec): string[] {
    const around = { hasRendezvous: job.rendezvous !== undefined, count: countOf(job, 1) };
    const reasons = [lineNotice(job.command), ownTasksNotice(job.command, "job", around)];
    return [
        ...reasons.flatMap((reason) => (reason === undefined ? [] : [`command ${reason}`])),
        ...[...noticesOfCode(job), ...noticesOfResults(job)].map(({ property, reason }) => `${property} ${reason}`),
    ];
}
