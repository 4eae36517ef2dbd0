import { namesCluster } from "../definition/clusterWord";
import type { CommandDefinition, OptionDefinition } from "../definition/command";
import { GLOBAL_OPTIONS, optionsOf } from "../definition/globalOptions";

/** A command line up to the cursor. */
export interface Line {
    readonly definition?: CommandDefinition;
    /** The line has a command. */
    readonly hasCommand: boolean;
    /** The options that are known here. */
    readonly known: readonly OptionDefinition[];
    /** The values that are given. */
    readonly options: Readonly<Record<string, string>>;
    /** The words of the command, without the name of the cluster. */
    readonly words: readonly string[];
    /** The option whose value the cursor is in. */
    readonly valueFor?: OptionDefinition;
    /** What stands before the part of the last word that is completed. */
    readonly before: string;
    /** The part of the last word that is completed. */
    readonly part: string;
}

/** Reads the words after the program's name. The last one ends at the cursor. */
export function readLine(all: readonly string[], commands: readonly CommandDefinition[]): Line {
    const words = joined(all);
    const last = words.at(-1) ?? "";
    const reader = new Reader(commands);
    words.slice(0, -1).forEach((word) => reader.take(word));
    return { ...reader.line(), ...reader.place(last) };
}

/** bash makes three words of --name=value, and of lammps:/data. */
function joined(all: readonly string[]): string[] {
    const words: string[] = [];
    all.forEach((word, index) => {
        if (word === "=" && all[index - 1]?.startsWith("--")) {
            // Only the value: bash completes the word behind the sign.
            words.push(...(index === all.length - 1 ? [""] : []));
        } else if ([word, all[index - 1]].includes(":") && !startsPath(all[index - 1], word)) {
            words.push(`${words.pop() ?? ""}${word}`);
        } else {
            words.push(word);
        }
    });
    return words;
}

/** A path in a pod may begin with the colon. */
function startsPath(before: string | undefined, word: string): boolean {
    return before === "cp" && word === ":";
}

class Reader {
    private definition: CommandDefinition | undefined;
    private hasCommand = false;
    private known: readonly OptionDefinition[] = GLOBAL_OPTIONS;
    private readonly options: Record<string, string> = {};
    private readonly words: string[] = [];
    /** The option whose value comes next. */
    private open: OptionDefinition | undefined;
    private isOver = false;

    constructor(private readonly commands: readonly CommandDefinition[]) {}

    take(word: string): void {
        if (this.open !== undefined) {
            this.options[this.open.name] = word;
            this.open = undefined;
        } else if (word.startsWith("-") && !this.isOver) {
            this.takeOption(word);
        } else if (!this.hasCommand) {
            this.takeCommand(word);
        } else if (this.definition !== undefined) {
            this.takeWord(word, this.definition);
        }
    }

    private takeOption(word: string): void {
        if (word === "--") {
            this.isOver = true;
            return;
        }
        const [flag, value] = word.startsWith("--")
            ? word.split(/=(.*)/s)
            : [word.slice(0, 2), word.slice(2) || undefined];
        const option = this.known.find(({ name, short }) => flag === `--${name}` || flag === `-${short}`);
        if (option?.value === undefined) {
            return;
        }
        if (value === undefined) {
            this.open = option;
        } else {
            this.options[option.name] = value;
        }
    }

    private takeCommand(word: string): void {
        this.hasCommand = true;
        this.definition = this.commands.find(({ alias, name }) => word === name || word === alias);
        this.known = optionsOf(this.definition?.options ?? []);
    }

    private takeWord(word: string, definition: CommandDefinition): void {
        const isFirst = this.words.length === 0;
        if (isFirst && this.options.cluster === undefined && namesCluster(definition, word)) {
            this.options.cluster = word;
            return;
        }
        this.words.push(word);
        this.isOver ||= definition.words?.isCommand === true;
    }

    line() {
        return {
            definition: this.definition,
            hasCommand: this.hasCommand,
            known: this.isOver ? [] : this.known,
            options: this.options,
            words: this.words,
        };
    }

    /** What the last word is a part of. */
    place(last: string): Pick<Line, "before" | "part" | "valueFor"> {
        if (this.open !== undefined) {
            return { valueFor: this.open, before: "", part: last };
        }
        const [, flag, part] = /^--([^=]+)=([^]*)$/.exec(last) ?? [];
        const option = this.isOver
            ? undefined
            : this.known.find(({ name, value }) => name === flag && value !== undefined);
        return option === undefined ? { before: "", part: last } : { valueFor: option, before: `--${flag}=`, part };
    }
}
