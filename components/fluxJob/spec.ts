import { type RunOptions, runOptionsOf } from "../../provider/contract/runOptions";
import type { ArraySize } from "../../provider/flux/job";
import { dropNulls } from "../arguments/dropNulls";
import { checkArguments } from "../arguments/shape";
import { JOB_ARGUMENTS } from "../generated/shapes";
import { Interrupt } from "../features/update";
import type { Rendezvous } from "../features/rendezvous/rendezvous";
import { validateAtLeast } from "../rules/atLeast";
import { validateWords } from "../rules/command";
import { validateEnvironment } from "../rules/environment";
import { validatePort } from "../rules/port";
import type { Problem } from "../rules/problem";
import { validateRunOptions } from "../runOptions/rules";
import { type PlainAfter, validateAfter } from "./after";
import { validateArray } from "./array";

/** Defaults of a FluxJob. */
export const DEFAULTS = {
    wait: true,
    rerunFailed: true,
    interrupt: Interrupt.Refuse,
    ready: 300,
    maxBytes: 16384,
} as const;

/** The arguments that the rules check, with their defaults. */
export interface FluxJobSpec extends RunOptions {
    readonly command: readonly string[];
    readonly array?: ArraySize;
    readonly after?: readonly PlainAfter[];
    readonly rendezvous?: Rendezvous;
    readonly environment: Readonly<Record<string, string>>;
    readonly secretNames: readonly string[];
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
    const spec = withDefaults(dropNulls(args, JOB_ARGUMENTS), secretNames);
    const problems = validateJob(spec, args.cluster);
    return problems.length > 0 ? { problems } : { spec, problems };
}

function withDefaults(args: PlainJob, secretNames: readonly string[]): FluxJobSpec {
    const { after, array, command = [], environment = {}, output, rendezvous, timeouts } = args;
    return {
        ...runOptionsOf(args),
        after,
        array,
        command,
        environment,
        maxBytes: output?.maxBytes ?? DEFAULTS.maxBytes,
        rendezvous,
        secretNames,
        timeouts: withDefaultTimeouts(timeouts),
    };
}

export function withDefaultTimeouts(timeouts: PlainJob["timeouts"] | null): FluxJobSpec["timeouts"] {
    return { ready: timeouts?.ready ?? DEFAULTS.ready, completed: timeouts?.completed ?? undefined };
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

function validateJob(spec: FluxJobSpec, cluster: PlainJob["cluster"]): Problem[] {
    const port = spec.rendezvous?.port;
    return [
        ...(port === undefined ? [] : validatePort("rendezvous.port", port)),
        ...validateWords(spec.command),
        ...validateEnvironment(spec),
        ...validateRunOptions(spec),
        ...validateArray(spec),
        ...validateAfter(spec.after, cluster),
        ...validateAtLeast([
            ["timeouts.ready", spec.timeouts.ready, 1],
            ["timeouts.completed", spec.timeouts.completed, 1],
            ["output.maxBytes", spec.maxBytes, 0],
        ]),
    ];
}
