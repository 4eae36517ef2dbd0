import {
    RUN_OPTION_NAMES,
    RUN_OPTIONS,
    type RunOption,
    type RunOptions,
    type SignalOption,
} from "../../provider/contract/runOptions";
import type { Reader } from "../reader";

/** The run option of each option of `flux submit`, by its long and its short name. */
const OPTIONS = new Map(
    RUN_OPTION_NAMES.flatMap((name) => {
        const { flag, short } = RUN_OPTIONS[name];
        return [`--${flag}`, ...(short === undefined ? [] : [`-${short}`])].map((option) => [option, name] as const);
    }),
);

/** Options that change what flux submit prints, which the package doesn't show. */
const PRINTING = ["-v", "-vv", "-vvv", "--verbose", "--quiet", "--watch"];

/** Reads options of `flux submit`. Options without a counterpart get a warning. */
export function readOptions(reader: Reader, path: string, text: string): RunOptions {
    // The operator's shell drops quotes around a part of a word.
    const words = text
        .replaceAll(/"([\w.,:/@%+=-]*)"/g, "$1")
        .split(/\s+/)
        .filter(Boolean);
    let read: RunOptions = {};
    while (words.length > 0) {
        const { found, shown } = readOption(words);
        if (found === undefined) {
            reader.warn(path, `${shown} has no counterpart; use launcher, and flux run ${shown} in the command.`);
        }
        const settings = found?.shellOptions && { shellOptions: { ...read.shellOptions, ...found.shellOptions } };
        read = { ...read, ...found, ...settings };
    }
    return read;
}

interface Found {
    /** Undefined if the option has no counterpart. */
    readonly found?: RunOptions;
    /** The option with its value. */
    readonly shown: string;
}

/** Takes one option and its value from the words. */
function readOption(words: string[]): Found {
    const word = words.shift() ?? "";
    const [, name, attached] = /^(--[a-z-]+|-[a-zA-Z])=?(.*)$/.exec(word) ?? [word, word, ""];
    const option = OPTIONS.get(name);
    if (option === undefined) {
        return unknownOption(word, words);
    }
    const { kind } = RUN_OPTIONS[option];
    if (kind === "switch") {
        return { found: attached === "" ? { [option]: true } : undefined, shown: word };
    }
    const [text, shown] = attached === "" ? [words[0] ?? "", `${word} ${words.shift()}`] : [attached, word];
    const value = QUOTED.test(text) ? undefined : READERS[kind](text);
    return { found: value === undefined ? undefined : { [option]: value }, shown };
}

/** An option that no run option has. A word after it that is no option is its value. */
function unknownOption(word: string, words: string[]): Found {
    if (PRINTING.includes(word)) {
        return { found: {}, shown: word };
    }
    const isAlone = words.length === 0 || words[0].startsWith("-") || word.includes("=");
    return { shown: isAlone ? word : `${word} ${words.shift()}` };
}

/** Signs that the operator's shell or Flux would read in a value. */
const QUOTED = /["'`$\\]/;

const UNITS: Readonly<Record<string, number>> = { "": 60, s: 1, m: 60, h: 3600, d: 86_400 };

/** How the value of an option is read. Undefined if it isn't a value that the run option can have. */
const READERS: Readonly<Record<Exclude<RunOption["kind"], "switch">, (text: string) => unknown>> = {
    number: (text) => (/^\d+$/.test(text) ? Number(text) : undefined),
    seconds: readTimeLimit,
    settings: readShellOption,
    signal: readSignal,
    text: (text) => text,
};

/** A time limit of `flux submit`: minutes, or a number with a unit. */
function readTimeLimit(text: string): number | undefined {
    const [, number, unit = ""] = /^(\d+(?:\.\d+)?)([smhd]?)$/.exec(text) ?? [];
    return number === undefined ? undefined : Math.ceil(Number(number) * UNITS[unit]);
}

function readShellOption(text: string): Record<string, string> | undefined {
    const [, name, setting = "1"] = /^([^=]+)(?:=(.*))?$/.exec(text) ?? [];
    return name === undefined ? undefined : { [name]: setting };
}

/** A signal, the seconds before the time limit, or both: `TERM@60s`. */
function readSignal(text: string): SignalOption | undefined {
    const [found, name, timeLeft] = /^(\w*)(?:@(\d+)s?)?$/.exec(text) ?? [];
    const signal = { ...(name ? { name } : {}), ...(timeLeft ? { timeLeft: Number(timeLeft) } : {}) };
    return found ? signal : undefined;
}
