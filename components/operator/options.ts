import type { RunOptions } from "../../provider/contract/runOptions";
import { readQuoted } from "./quoted";
import type { Reader } from "./reader";

/** Options of `flux submit` with an argument, and the run option that each becomes. */
const OPTIONS: Readonly<Record<string, (value: string) => RunOptions | undefined>> = {
    "-N": (value) => numeral("nodes", value),
    "--nodes": (value) => numeral("nodes", value),
    "-n": (value) => numeral("tasks", value),
    "--ntasks": (value) => numeral("tasks", value),
    "--tasks-per-node": (value) => numeral("tasksPerNode", value),
    "-c": (value) => numeral("coresPerTask", value),
    "--cores-per-task": (value) => numeral("coresPerTask", value),
    "-g": (value) => numeral("gpusPerTask", value),
    "--gpus-per-task": (value) => numeral("gpusPerTask", value),
    "-t": readTimeLimit,
    "--time-limit": readTimeLimit,
    "-q": (value) => ({ fluxQueue: value }),
    "--queue": (value) => ({ fluxQueue: value }),
    "--urgency": (value) => numeral("urgency", value),
    "--requires": (value) => ({ requires: value }),
    "--input": (value) => ({ inputFile: value }),
    "--output": (value) => ({ outputFile: value }),
    "--error": (value) => ({ errorFile: value }),
    "-o": readShellOption,
    "--setopt": readShellOption,
};

/** Options of `flux submit` without an argument. */
const SWITCHES: Readonly<Record<string, RunOptions>> = {
    "-x": { exclusive: true },
    "--exclusive": { exclusive: true },
    // They change what flux submit prints, which the package doesn't show.
    ...Object.fromEntries(["-v", "-vv", "-vvv", "--verbose", "--quiet", "--watch"].map((option) => [option, {}])),
};

/** Reads options of `flux submit`. Options without a counterpart get a warning. */
export function readOptions(reader: Reader, path: string, text: string): RunOptions {
    const words = optionWords(text);
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

/** The words as the operator's shell reads them, between double quotes, unless it expands something in them. */
function optionWords(text: string): string[] {
    const { isBroken, parts } = readQuoted(text);
    const isRead = !isBroken && parts.every(({ isExpansion }) => !isExpansion);
    return (isRead ? parts.map((part) => part.text).join("") : text).split(/\s+/).filter(Boolean);
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
    if (Object.hasOwn(SWITCHES, word)) {
        return { found: SWITCHES[word], shown: word };
    }
    if (!Object.hasOwn(OPTIONS, name)) {
        return unknownOption(word, words);
    }
    const [value, shown] = attached === "" ? [words[0] ?? "", `${word} ${words.shift()}`] : [attached, word];
    return { found: QUOTED.test(value) ? undefined : OPTIONS[name](value), shown };
}

/** An option without a counterpart. A word after it that is no option is its value. */
function unknownOption(word: string, words: string[]): Found {
    const isAlone = words.length === 0 || words[0].startsWith("-") || word.includes("=");
    return { shown: isAlone ? word : `${word} ${words.shift()}` };
}

function numeral(option: keyof RunOptions, value: string): RunOptions | undefined {
    return /^\d+$/.test(value) ? { [option]: Number(value) } : undefined;
}

/** Signs that the operator's shell or Flux would read in a value. */
const QUOTED = /["'`$\\]/;

const UNITS: Readonly<Record<string, number>> = { "": 60, s: 1, m: 60, h: 3600, d: 86_400 };

/** A time limit of `flux submit`: minutes, or a number with a unit. */
function readTimeLimit(value: string): RunOptions | undefined {
    const [, number, unit = ""] = /^(\d+(?:\.\d+)?)([smhd]?)$/.exec(value) ?? [];
    return number === undefined ? undefined : { timeLimit: Math.ceil(Number(number) * UNITS[unit]) };
}

function readShellOption(value: string): RunOptions | undefined {
    const [, name, setting = "1"] = /^([^=]+)(?:=(.*))?$/.exec(value) ?? [];
    return name === undefined ? undefined : { shellOptions: { [name]: setting } };
}
