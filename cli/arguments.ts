import { parseArgs, type ParseArgsOptionsConfig } from "node:util";

import { UsageError } from "./usage";
import type { Json } from "../provider/contract/object";

const GLOBAL = {
    cluster: { type: "string", short: "c" },
    context: { type: "string" },
    help: { type: "boolean", short: "h" },
    json: { type: "boolean" },
    kubeconfig: { type: "string" },
    namespace: { type: "string", short: "n" },
    stack: { type: "string", short: "s" },
} as const satisfies ParseArgsOptionsConfig;

/** The run options on the command line: the names of the arguments of a FluxJob, in lower case with dashes. */
const RUN_OPTIONS = {
    cores: { type: "string" },
    "cores-per-task": { type: "string" },
    "error-file": { type: "string" },
    exclusive: { type: "boolean", short: "x" },
    "flux-queue": { type: "string" },
    gpus: { type: "string" },
    "gpus-per-task": { type: "string" },
    "input-file": { type: "string" },
    nodes: { type: "string", short: "N" },
    "output-file": { type: "string" },
    requires: { type: "string" },
    "shell-option": { type: "string", short: "o", multiple: true },
    signal: { type: "string" },
    tasks: { type: "string" },
    "tasks-per-node": { type: "string" },
    "time-limit": { type: "string" },
    urgency: { type: "string" },
} as const satisfies ParseArgsOptionsConfig;

const SUBMIT: ParseArgsOptionsConfig = {
    ...RUN_OPTIONS,
    cwd: { type: "string" },
    detach: { type: "boolean" },
    env: { type: "string", multiple: true },
    "job-name": { type: "string" },
};

const OWN: Record<string, ParseArgsOptionsConfig> = {
    logs: { follow: { type: "boolean", short: "f" } },
    run: SUBMIT,
    submit: SUBMIT,
};

/** A parsed command line. */
export interface Arguments {
    readonly command: string | undefined;
    readonly options: Readonly<Record<string, Json>>;
    readonly words: readonly string[];
}

/**
 * Options can precede and follow the command. Those of `submit` and `run` end at the first word of the job's command.
 */
export function parseArguments(argv: readonly string[]): Arguments {
    const at = firstWord(argv, GLOBAL);
    const command = argv[at];
    const allowed: ParseArgsOptionsConfig = { ...GLOBAL, ...OWN[command ?? ""] };
    const rest = argv.slice(at + 1);
    const isJob = OWN[command ?? ""] === SUBMIT;
    const end = isJob ? firstWord(rest, allowed) : rest.length;
    try {
        const { positionals, values } = parseArgs({
            args: [...argv.slice(0, at), ...rest.slice(0, end)],
            options: allowed,
            allowPositionals: !isJob,
        });
        const words = isJob ? rest.slice(rest[end] === "--" ? end + 1 : end) : positionals;
        return { command, options: values, words };
    } catch (error) {
        throw new UsageError((error as Error).message);
    }
}

/** Index of the first word that is neither an option nor the value of one. */
function firstWord(argv: readonly string[], options: ParseArgsOptionsConfig): number {
    const { tokens } = parseArgs({ args: [...argv], options, strict: false, allowPositionals: true, tokens: true });
    return tokens.find(({ kind }) => kind !== "option")?.index ?? argv.length;
}

/** The whole number of an option; undefined if the option isn't given. */
export function numberOf(options: Arguments["options"], name: string, least = 1): number | undefined {
    const text = options[name] as string | undefined;
    if (text === undefined) {
        return undefined;
    }
    if (!/^\d+$/.test(text) || Number(text) < least) {
        throw new UsageError(`--${name} is "${text}"; it must be a whole number, at least ${least}.`);
    }
    return Number(text);
}
