import type { Arguments } from "./arguments";

/** An option of a command. */
export interface OptionDefinition {
    /** Its name without the two dashes. */
    readonly name: string;
    /** Its letter. */
    readonly short?: string;
    /** What stands for its value in help; a switch has none. */
    readonly value?: string;
    /** May be given several times. */
    readonly repeats?: boolean;
    readonly help: string;
    /** Heading in help. */
    readonly group?: string;
    /** What completion offers for its value, or a part of a list of values. */
    readonly completes?: Completes | readonly string[];
}

/** What completion looks up for a word or a value. */
export type Completes = "cluster" | "file" | "job" | "nothing" | "place";

/** The words that a command takes, besides its options. */
export interface Words {
    /** As help shows them, such as `[RANK]`. */
    readonly usage: string;
    readonly least?: number;
    /** Infinity for any number. */
    readonly most: number;
    /** What completion offers for each of them. */
    readonly completes?: Completes | readonly string[];
    /** The first word begins another command line: it and all words after it are left as they are. */
    readonly isCommand?: boolean;
}

/** A command. Its parser, help and completion come from this. */
export interface CommandDefinition {
    readonly name: string;
    readonly alias?: string;
    /** One line, in lower case, without a full stop. */
    readonly summary: string;
    /** More, in whole sentences. */
    readonly description?: string;
    /** Heading in help. */
    readonly group: string;
    /** Help and completion don't show it. */
    readonly hidden?: boolean;
    /** The first word may be the name of a cluster. */
    readonly takesCluster?: boolean;
    readonly words?: Words;
    readonly options?: readonly OptionDefinition[];
    /** Words after the program's name, and what they do. */
    readonly examples: readonly (readonly [words: string, purpose: string])[];
    /** Loads what the command does, and the Kubernetes client with it, when the command is used. `all` are all commands. */
    load(all: readonly CommandDefinition[]): Promise<(args: Arguments) => Promise<number>>;
}

/** The headings of the commands in help. */
export const CLUSTERS = "Clusters:";
export const JOBS = "Jobs:";
export const OTHERS = "Others:";

/** The option of an argument: `fluxQueue` is `flux-queue`, and each of `shellOptions` is a `shell-option`. */
export function optionOf(argument: string): string {
    const name = argument === "shellOptions" ? "shellOption" : argument;
    return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
