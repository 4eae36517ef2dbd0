import type { Json } from "../../provider/contract/object";

/** A parsed command line. */
export interface Arguments {
    /** The name of the command, also for its alias. */
    readonly command: string;
    /** The values by the names of the options; those that aren't given are missing. */
    readonly options: Readonly<Record<string, Json>>;
    /** The words of the command, without the name of the cluster. */
    readonly words: readonly string[];
}

/** The whole number of an option; undefined if the option isn't given. */
export function numberOf(options: Arguments["options"], name: string, least = 1, what = "number"): number | undefined {
    const text = options[name] as string | undefined;
    if (text === undefined) {
        return undefined;
    }
    if (!/^\d+$/.test(text) || Number(text) < least) {
        throw new UsageError(`--${name} is "${text}"; it must be a whole ${what}, at least ${least}.`);
    }
    return Number(text);
}

/** A mistake in the command line; the exit code is 2. */
export class UsageError extends Error {
    /** The command whose help tells more. */
    command?: string;
}

/** The same error; a mistake in the command line belongs to this command. */
export function ofCommand(error: unknown, command: string): unknown {
    return error instanceof UsageError ? Object.assign(error, { command }) : error;
}
