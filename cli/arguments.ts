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

const OWN: Record<string, ParseArgsOptionsConfig> = {
    logs: { follow: { type: "boolean", short: "f" } },
    submit: {
        cores: { type: "string" },
        cwd: { type: "string" },
        detach: { type: "boolean" },
        env: { type: "string", multiple: true },
        gpus: { type: "string" },
        "job-name": { type: "string" },
        nodes: { type: "string", short: "N" },
        tasks: { type: "string" },
        "time-limit": { type: "string" },
    },
};

/** A parsed command line. */
export interface Arguments {
    readonly command: string | undefined;
    readonly options: Readonly<Record<string, Json>>;
    readonly words: readonly string[];
}

/** Options can precede and follow the command. Those of `submit` end at the first word of the job's command. */
export function parseArguments(argv: readonly string[]): Arguments {
    const at = firstWord(argv, GLOBAL);
    const command = argv[at];
    const allowed: ParseArgsOptionsConfig = { ...GLOBAL, ...OWN[command ?? ""] };
    const rest = argv.slice(at + 1);
    const end = command === "submit" ? firstWord(rest, allowed) : rest.length;
    try {
        const { positionals, values } = parseArgs({
            args: [...argv.slice(0, at), ...rest.slice(0, end)],
            options: allowed,
            allowPositionals: command !== "submit",
        });
        const words = command === "submit" ? rest.slice(rest[end] === "--" ? end + 1 : end) : positionals;
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
