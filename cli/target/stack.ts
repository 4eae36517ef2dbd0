import { execFile } from "node:child_process";
import { promisify } from "node:util";

import type { KeptResults } from "../../provider/contract/results";
import type { RunRecord } from "../../provider/contract/record/runRecord";
import { orTold } from "../../provider/kubernetes/failures/slowAnswer";
import { UsageError } from "../definition/arguments";

/** The outputs of a MiniCluster that a report uses. A secret one is the text `[secret]`. */
export interface RecordedOutputs {
    readonly uid?: string;
    readonly phase?: string;
    readonly exitCode?: number | null;
    readonly output?: string;
    readonly timings?: Readonly<Record<string, number>>;
    readonly slowestRank?: string;
    readonly nodes?: Readonly<Record<string, string>>;
    readonly results?: KeptResults;
    /** Null before a command's end. */
    readonly record?: RunRecord | null;
}

/** A MiniCluster in the outputs of a stack. */
export interface Exported extends RecordedOutputs {
    readonly name: string;
    readonly namespace: string;
    readonly uid?: string;
}

/** The MiniClusters that a stack exports, or why it gives none: it isn't selected, or has no outputs. */
export type Exports = { readonly clusters: readonly Exported[]; readonly why: string };

/**
 * Reads the outputs of a stack (default: the selected one of this folder), and how its last update ended if they have no cluster.
 * With `takesRuns`, ended runs in its state stand for the clusters that its outputs don't have, or have as they were before.
 */
export async function exportsOf(stack: string | undefined, takesRuns?: boolean): Promise<Exports> {
    const outputs = await pulumi("output", stack);
    if ("error" in outputs) {
        return { clusters: [], why: outputs.error };
    }
    const found = exported(outputs.said);
    const clusters = takesRuns ? withRuns(found, await runsOf(stack)) : found;
    return { clusters, why: clusters.length > 0 ? "" : whyNone(await pulumi("history", stack)) };
}

/** The MiniClusters in the outputs of a stack: one output, or all outputs together. */
export function exported(outputs: unknown): Exported[] {
    return [outputs, ...Object.values(outputs ?? {})].filter(isCluster);
}

/** A resource in a stack's state, of which only a JobStatus has both of these outputs. */
interface Recorder {
    /** True for an earlier one, which an interrupted replacement has left. */
    readonly delete?: boolean;
    readonly outputs?: RecordedOutputs & { readonly slowest?: string };
}

/** The runs that have ended, in a stack's state: an update that fails with its command records no outputs of the stack. */
async function runsOf(stack: string | undefined): Promise<Exported[]> {
    const state = await pulumi("export", stack);
    const { deployment } = ("error" in state ? {} : state.said) as { deployment?: { resources?: readonly Recorder[] } };
    const live = (deployment?.resources ?? []).filter(({ delete: isOld }) => isOld !== true);
    return live.flatMap(({ outputs: { slowest, output, ...recorded } = {} }) =>
        typeof recorded.record === "object" && recorded.record !== null && slowest !== undefined
            ? [{ ...recorded, ...shown(output), ...identityOf(recorded.record), slowestRank: slowest }]
            : [],
    );
}

/** A secret output is an object here, with its ciphertext. */
function shown(output: unknown): { readonly output?: string } {
    return typeof output === "string" ? { output } : {};
}

function withRuns(found: readonly Exported[], runs: readonly Exported[]): readonly Exported[] {
    const runOf = ({ name, namespace }: Exported) =>
        runs.find((run) => run.name === name && run.namespace === namespace);
    return found.length === 0 ? runs : found.map((cluster) => ({ ...cluster, ...runOf(cluster) }));
}

function identityOf({ name, namespace, uid }: RunRecord): Pick<Exported, "name" | "namespace" | "uid"> {
    return { name, namespace, uid };
}

/** The exported MiniCluster with the wanted name, or the only one. Undefined if there is none. */
export function chosenOf(clusters: readonly Exported[], wanted: string | undefined): Exported | undefined {
    const found = wanted === undefined ? clusters : clusters.filter(({ name }) => name === wanted);
    if (found.length > 1) {
        const names = found.map(({ name }) => name).join(", ");
        throw new UsageError(`The stack exports ${names}. Select one with --cluster.`);
    }
    return found.at(0);
}

function isCluster(value: unknown): value is Exported {
    const { hosts, name, namespace } = (value ?? {}) as Record<string, unknown>;
    return typeof name === "string" && typeof namespace === "string" && Array.isArray(hosts);
}

/** What Pulumi prints as JSON, or why it prints nothing. */
type Said = { readonly said: unknown } | { readonly error: string };

const OPTIONS = { export: [], history: ["--json", "--page-size", "1"], output: ["--json"] } as const;

async function pulumi(command: keyof typeof OPTIONS, stack: string | undefined): Promise<Said> {
    const words = ["stack", command, ...OPTIONS[command], ...(stack === undefined ? [] : ["--stack", stack])];
    try {
        // Node's default limit is 1 MiB; the outputs of a stack may be larger.
        const running = promisify(execFile)("pulumi", words, { maxBuffer: Infinity });
        running.child.stdin?.end();
        const { stdout } = await orTold(`pulumi stack ${command}, which asks the backend of the stack`, running);
        return { said: JSON.parse(stdout) };
    } catch (error) {
        const { code, message, stderr } = error as { code?: string; message: string; stderr?: string };
        return { error: code === "ENOENT" ? "pulumi is not installed" : firstLine(stderr || message) };
    }
}

function firstLine(text: string): string {
    return (text.trim().split("\n")[0] ?? "").replace(/^error: /, "");
}

/** The newest entry of `pulumi stack history --json`. */
interface Update {
    readonly kind?: string;
    readonly result?: string;
    readonly endTime?: string;
}

const EXPORT = "Export the resource itself: export const cluster = new MiniCluster(...)";

/** Why a stack exports no MiniCluster, by its last update. Outputs aren't recorded by an update that fails. */
function whyNone(history: Said): string {
    const updates = "said" in history && Array.isArray(history.said) ? (history.said as Update[]) : [{}];
    const [last] = updates;
    return last === undefined ? "the stack has not been updated yet" : afterUpdate(last);
}

function afterUpdate({ endTime, kind = "update", result }: Update): string {
    const at = endTime ? ` at ${endTime}` : "";
    if (result === "failed") {
        return `the last ${kind} of the stack failed${at}, and a failed update may record no outputs`;
    }
    if (result === "in-progress") {
        return `an operation of the stack (${kind}) is running, or was interrupted`;
    }
    return kind === "destroy" ? `the stack was destroyed${at}` : `the stack exports no MiniCluster. ${EXPORT}`;
}
