import type { Problem } from "../../components/rules/problem";
import { validateRunOptions } from "../../components/runOptions/rules";
import { RUN_OPTION_NAMES, RUN_OPTIONS, type RunOptions, type SignalOption } from "../../provider/contract/runOptions";
import { type Arguments, numberOf, UsageError } from "../definition/arguments";
import { optionOf } from "../definition/command";

type Options = Arguments["options"];

/** Reads the run options and refuses those that Flux would refuse or ignore. */
export function readRunOptions(options: Options): RunOptions {
    const read = Object.fromEntries(RUN_OPTION_NAMES.map((name) => [name, readOption(name, options)])) as RunOptions;
    const problems = validateRunOptions(read);
    if (problems.length > 0) {
        throw new UsageError(problems.map(inOptions).join("\n"));
    }
    return read;
}

function readOption(name: keyof RunOptions, options: Options): unknown {
    const { kind, least } = RUN_OPTIONS[name];
    const option = optionOf(name);
    switch (kind) {
        case "number":
            return numberOf(options, option, least);
        case "seconds":
            return numberOf(options, option, least, "number of seconds");
        case "settings":
            return readShellOptions(options[option]);
        case "signal":
            return readSignal(options[option]);
        case "switch":
        case "text":
            return options[option];
    }
}

function readSignal(text: string | undefined): SignalOption | undefined {
    if (text === undefined) {
        return undefined;
    }
    const [found, name, timeLeft] = /^(\w*)(?:@(\d+))?$/.exec(text) ?? [];
    if (!found) {
        throw new UsageError(`--signal is "${text}"; it must be NAME, @SECONDS or NAME@SECONDS.`);
    }
    return { name: name || undefined, timeLeft: timeLeft === undefined ? undefined : Number(timeLeft) };
}

/** Options of Flux' job shell. Without a value, an option is 1, as with `flux run -o NAME`. */
function readShellOptions(settings: readonly string[] | undefined): Record<string, string> | undefined {
    return settings && Object.fromEntries(settings.map(readShellOption));
}

function readShellOption(text: string): [string, string] {
    const equals = text.indexOf("=");
    return equals < 0 ? [text, "1"] : [text.slice(0, equals), text.slice(equals + 1)];
}

/** Names of arguments that options have with dashes. */
const WITH_CAPITALS = new RegExp(`\\b(${RUN_OPTION_NAMES.filter((name) => /[A-Z]/.test(name)).join("|")})\\b`, "g");

/** A problem with the names of options in place of those of arguments. */
function inOptions({ property, reason }: Problem): string {
    const [name, ...path] = property.split(".");
    const option = name === "shellOptions" ? `--${optionOf(name)} ${path.join(".")}` : `--${optionOf(name)}`;
    return `${option} ${reason.replaceAll(WITH_CAPITALS, (word) => `--${optionOf(word)}`)}`;
}
