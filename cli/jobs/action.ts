import { foreignJson } from "../../provider/contract/foreignText";
import { KILLED } from "../../provider/flux/calls";
import { execute, type Executed } from "../../provider/kubernetes/streams/exec";
import { pause } from "../../provider/kubernetes/pause";
import { persist, type Tries } from "../../provider/kubernetes/persist";
import { lost } from "../../provider/kubernetes/streams/socket";
import { isPassing } from "../../provider/flux/lead";
import { type Arguments, numberOf, UsageError } from "../definition/arguments";
import { findingFlux } from "../../provider/contract/paths";
import { type FluxJobRow, FORMAT, parseJobs } from "../fluxJob/rows";
import { STATES } from "../fluxJob/states";
import { leadOf, type Target, targetOf } from "../target/target";
import { age, columns, printJson } from "../terminal/terminal";
import { tryAgain } from "../terminal/tryAgain";

const HEADINGS = ["JOBID", "STATUS", "EXIT", "NODES", "TASKS", "TIME", "NAME"];

/** Milliseconds between two looks with `--watch`: each costs the lead a start of `flux jobs`. */
const PAUSE = 2000;
/** Milliseconds without an answer after which `--watch` ends. */
const PATIENCE = 120_000;

/** Lists the jobs that Flux knows, the newest first. */
export async function jobs({ options }: Arguments): Promise<number> {
    const command = commandOf(options);
    const target = await targetOf(options);
    const rows = await list(target, command);
    const { head, line } = columns(HEADINGS, rows.map(cellsOf));
    const print = (row: FluxJobRow) =>
        process.stdout.write(options.json ? `${foreignJson(row)}\n` : `${line(cellsOf(row))}\n`);
    if (options.json && !options.watch) {
        printJson(rows, 2);
        return 0;
    }
    process.stdout.write(options.json ? "" : `${head}\n`);
    rows.forEach(print);
    if (options.watch) {
        await watch(target, rows, { look: () => list(target, command), print });
    }
    return 0;
}

/** The command in the lead's pod. */
export function commandOf(options: Arguments["options"]): string[] {
    const filter = stateFilter(options.filter as string | undefined);
    const count = numberOf(options, "count", 0) ?? 0;
    const given = ["name", "since", "queue"].filter((name) => options[name] !== undefined);
    const words = given.map((name) => `--${name}=${options[name] as string}`);
    return ["flux", "jobs", ...filter, `--count=${count}`, ...words, "--no-header", `--format=${FORMAT}`];
}

function stateFilter(text: string | undefined): string[] {
    if (text === undefined) {
        return ["-a"];
    }
    const states: readonly string[] = STATES;
    const wrong = text.split(",").find((state) => !states.includes(state.toLowerCase()));
    if (wrong !== undefined) {
        throw new UsageError(`--filter has "${wrong}"; each state must be one of ${states.join(", ")}.`);
    }
    return [`--filter=${text.toLowerCase()}`];
}

async function list(target: Target, command: readonly string[]): Promise<FluxJobRow[]> {
    const { exitCode, stderr, stdout } = await run(target, findingFlux(command));
    if (exitCode !== 0) {
        throw new Error(`flux jobs: ${stderr.trim().replace(/^flux-jobs: ERROR: /, "") || `exit code ${exitCode}`}`);
    }
    return parseJobs(stdout);
}

/** Runs a command in the lead's pod, and once again if that pod was lost meanwhile. */
async function run(target: Target, command: readonly string[], tries = 2): Promise<Executed> {
    const { signal } = new AbortController();
    const done = await execute(target.kube, await leadOf(target), { command, input: "", seconds: 60, signal });
    if (!KILLED.includes(done.exitCode)) {
        return done;
    }
    if (tries === 1) {
        throw lost("the command in the lead was killed");
    }
    return run(target, command, tries - 1);
}

/** Prints each job that is new or has changed, until the process ends or the lead is lost for long. */
async function watch(
    { kube }: Target,
    first: readonly FluxJobRow[],
    { look, print }: { look(): Promise<FluxJobRow[]>; print(row: FluxJobRow): void },
): Promise<never> {
    let known = new Map(first.map((row) => [row.jobId, stateOf(row)]));
    const attempt = async ({ answered }: Tries) => {
        const rows = await look();
        answered();
        changed(rows, known).forEach(print);
        known = new Map(rows.map((row) => [row.jobId, stateOf(row)]));
        return undefined;
    };
    await pause(PAUSE, new AbortController().signal);
    return persist<never>(attempt, { patience: PATIENCE, pause: PAUSE, isPassing, tell: tryAgain(kube.server) });
}

/** Rows that are new or have changed, the oldest first. The time of a job that runs is no change. */
export function changed(rows: readonly FluxJobRow[], known: ReadonlyMap<string, string>): FluxJobRow[] {
    return rows.filter((row) => known.get(row.jobId) !== stateOf(row)).reverse();
}

export function stateOf({ exitCode, nodes, status }: FluxJobRow): string {
    return JSON.stringify([status, exitCode, nodes]);
}

function cellsOf(row: FluxJobRow): string[] {
    const text = (value: number | null) => (value === null ? "-" : String(value));
    return [
        row.jobId,
        row.status,
        text(row.exitCode),
        text(row.nodes),
        text(row.tasks),
        row.seconds === null ? "-" : age(row.seconds * 1000),
        row.name,
    ];
}
