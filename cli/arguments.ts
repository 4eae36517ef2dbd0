import { parseArgs, type ParseArgsOptionsConfig } from "node:util";

import type { Json } from "../provider/contract/object";
import { RUN_OPTION_NAMES, RUN_OPTIONS, type RunOption } from "../provider/contract/runOptions";
import { optionOf } from "./optionName";
import { UsageError } from "./usage";

const GLOBAL = {
    cluster: { type: "string", short: "c" },
    context: { type: "string" },
    help: { type: "boolean", short: "h" },
    json: { type: "boolean" },
    kubeconfig: { type: "string" },
    namespace: { type: "string", short: "n" },
    stack: { type: "string", short: "s" },
} as const satisfies ParseArgsOptionsConfig;

/** Short names of `flux run` that mean the same here: -n and -c select a cluster, and -t has minutes in Flux. */
const SHORT = ["N", "o", "x"];

/** The run options on the command line: the names of the arguments of a FluxJob, in lower case with dashes. */
const OF_RUN = Object.fromEntries(RUN_OPTION_NAMES.map((name) => [optionOf(name), parsed(RUN_OPTIONS[name])]));

function parsed({ kind, short }: RunOption): ParseArgsOptionsConfig[string] {
    const letter = short !== undefined && SHORT.includes(short) ? { short } : {};
    return { type: kind === "switch" ? "boolean" : "string", multiple: kind === "settings", ...letter };
}

const SUBMIT: ParseArgsOptionsConfig = {
    ...OF_RUN,
    cwd: { type: "string" },
    detach: { type: "boolean" },
    env: { type: "string", multiple: true },
    "job-name": { type: "string" },
};

const OWN: Record<string, ParseArgsOptionsConfig> = {
    logs: { follow: { type: "boolean", short: "f" } },
    plan: { "max-node-hours": { type: "string" }, "no-kill": { type: "boolean" } },
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
