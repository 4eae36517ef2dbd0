import { type Arguments, ofCommand, UsageError } from "../definition/arguments";
import { packageVersion } from "../../provider/contract/versions";
import { namesCluster } from "../definition/clusterWord";
import { Command, Option } from "./commander";
import { type CommandDefinition, type OptionDefinition, OTHERS, type Words } from "../definition/command";
import { GLOBAL_OPTIONS, optionsOf, VERSION } from "../definition/globalOptions";
import { examplesOf, HELP_SETTINGS } from "./help";
import { programName } from "../definition/programName";
import { missingValue, unknown } from "./words";

/** What a command line asks for: a command, or a text to print. */
export type Parsed = { readonly definition: CommandDefinition; readonly args: Arguments } | { readonly text: string };

/** Ends parsing, because help is asked for: the message is its text. */
class HelpRequest extends Error {}

/** A command for the parser, which reports mistakes in our words. */
class Parser extends Command {
    /** What follows the options in help. */
    after = "";
    /** Of the program: the names of the commands that help shows. */
    names: readonly string[] = [];

    override createCommand(name?: string): Parser {
        return new Parser(name);
    }

    override error(message: string, { code = "" } = {}): never {
        const options = this.options.map(({ long }) => long ?? "");
        const switches = this.options.filter((option) => option.isBoolean()).map(({ long }) => long ?? "");
        const { names: commands } = (this.parent ?? this) as Parser;
        const isMissing = code === "commander.optionMissingArgument";
        const known = { command: this.name(), commands, options, switches };
        const mistake = isMissing ? missingValue(message) : unknown(message, known);
        throw Object.assign(new UsageError(mistake), { command: this.parent === null ? undefined : this.name() });
    }

    override helpInformation(): string {
        return `${super.helpInformation()}${this.after}`;
    }

    override help(context?: unknown): never {
        const [first, asked] = this.args;
        if (first === "help" && asked !== undefined && context !== undefined) {
            this.error(`error: unknown command '${asked}'`);
        }
        if (context !== undefined) {
            throw new UsageError("a command is missing.");
        }
        throw new HelpRequest(this.helpInformation());
    }
}

/**
 * Parses a command line of one of these commands. Options for every command can precede and follow the command. Those of
 * `submit` end at the first word of the job's command.
 */
export function parse(argv: readonly string[], commands: readonly CommandDefinition[]): Parsed {
    const program = new Parser(programName());
    program.names = commands.flatMap(({ hidden, name }) => (hidden ? [] : name));
    let parsed: Parsed | undefined;
    program.usage("COMMAND [OPTION...]").helpOption(false).enablePositionalOptions().configureHelp(HELP_SETTINGS);
    program.addHelpCommand(
        new Parser("help").argument("[COMMAND]").summary("print the help of a command").helpGroup(OTHERS),
    );
    [...GLOBAL_OPTIONS, VERSION].forEach((option) => program.addOption(optionFor(option)));
    for (const definition of commands) {
        const command = commandFor(program, definition);
        command.action(() => {
            parsed = read(definition, program, command);
        });
    }
    program.after = `\nThe help of a command has its options and examples: ${programName()} COMMAND --help\n`;
    if (argv.length === 0) {
        return { text: program.helpInformation() };
    }
    try {
        program.parse(argv, { from: "user" });
    } catch (error) {
        if (error instanceof HelpRequest) {
            return { text: error.message };
        }
        return withoutCommand(program, error);
    }
    return parsed ?? withoutCommand(program, new UsageError("a command is missing."));
}

/** `--help` and `--version` need no command. */
function withoutCommand(program: Command, error: unknown): Parsed {
    const { help, version } = program.opts<{ help?: boolean; version?: boolean }>();
    const isBare = error instanceof UsageError && error.command === undefined && program.args.length === 0;
    if (isBare && version) {
        return { text: `${packageVersion()}\n` };
    }
    if (isBare && help) {
        return { text: program.helpInformation() };
    }
    throw error;
}

function commandFor(program: Parser, definition: CommandDefinition): Command {
    const { alias, description, group, hidden, name, options = [], summary, words } = definition;
    const command = program.createCommand(name);
    program.addCommand(command.summary(summary).helpGroup(group).helpOption(false), { hidden });
    command.description(description ?? `${summary[0].toUpperCase()}${summary.slice(1)}.`);
    command.usage(usageOf(definition)).argument("[words...]").allowExcessArguments();
    if (alias !== undefined) {
        command.alias(alias);
    }
    if (words?.isCommand) {
        command.passThroughOptions();
    }
    optionsOf(options).forEach((option) => command.addOption(optionFor(option)));
    command.after = examplesOf(definition);
    return command.configureHelp(HELP_SETTINGS);
}

function usageOf({ takesCluster, words }: CommandDefinition): string {
    return ["[OPTION...]", takesCluster ? "[CLUSTER]" : "", words?.usage ?? ""].filter(Boolean).join(" ");
}

function optionFor({ group, help, name, repeats, short, value }: OptionDefinition): Option {
    const letter = short === undefined ? "" : `-${short}, `;
    const option = new Option(`${letter}--${name}${value === undefined ? "" : ` <${value}>`}`, help);
    // Otherwise --no-kill would be the negation of --kill.
    option.negate = false;
    if (group !== undefined) {
        option.helpGroup(group);
    }
    if (repeats) {
        option.argParser((text: string, before: readonly string[] | undefined) => [...(before ?? []), text]);
    }
    return option;
}

function read(definition: CommandDefinition, program: Command, command: Command): Parsed {
    const options = { ...valuesOf(program), ...valuesOf(command) };
    if (options.help === true) {
        return { text: command.helpInformation() };
    }
    try {
        return { definition, args: { command: definition.name, ...placed(definition, options, command.args) } };
    } catch (error) {
        throw ofCommand(error, definition.name);
    }
}

function valuesOf(command: Command): Record<string, unknown> {
    const named = command.options.map(
        (option) => [option.name(), command.getOptionValue(option.attributeName())] as const,
    );
    return Object.fromEntries(named.filter(([, value]) => value !== undefined));
}

/** Takes the name of the cluster off the words. */
function placed(definition: CommandDefinition, options: Record<string, unknown>, all: readonly string[]) {
    const [first, ...rest] = all;
    const hasCluster = options.cluster === undefined && namesCluster(definition, first);
    const words = hasCluster ? rest : all;
    requireNumber(definition, options, words, hasCluster ? first : undefined);
    return { options: hasCluster ? { ...options, cluster: first } : options, words };
}

const NONE: Words = { usage: "", most: 0 };

function requireNumber(
    definition: CommandDefinition,
    options: Record<string, unknown>,
    words: readonly string[],
    cluster?: string,
): void {
    const { least = 0, most, usage } = definition.words ?? NONE;
    const form = `${programName()} ${definition.name} ${usageOf(definition).replace("[OPTION...] ", "")}`;
    if (words.length < least) {
        const read = cluster === undefined ? "" : `, and "${cluster}" was read as the name of the cluster`;
        throw new UsageError(`${definition.name} needs ${usage}${read}: ${form}`);
    }
    if (words.length > most) {
        const already = options.cluster === undefined ? "" : `, besides the cluster ${String(options.cluster)}`;
        throw new UsageError(`${definition.name} is given "${words.join(" ")}"${already}; its form is ${form}`);
    }
}
