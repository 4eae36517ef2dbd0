import type { RunOptions } from "../../provider/contract/runOptions";
import type { Reader } from "./reader";

/** Options of `flux submit` with an argument, and the run option that each becomes. */
const OPTIONS: Readonly<Record<string, (value: string) => RunOptions | undefined>> = {
    "-c": (value) => ({ coresPerTask: Number(value) }),
    "--cores-per-task": (value) => ({ coresPerTask: Number(value) }),
    "-g": (value) => ({ gpusPerTask: Number(value) }),
    "--gpus-per-task": (value) => ({ gpusPerTask: Number(value) }),
    "-t": readTimeLimit,
    "--time-limit": readTimeLimit,
    "-q": (value) => ({ fluxQueue: value }),
    "--queue": (value) => ({ fluxQueue: value }),
    "--urgency": (value) => (/^\d+$/.test(value) ? { urgency: Number(value) } : undefined),
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
};

/** Reads options of `flux submit`. Options without a counterpart get a warning. */
export function readOptions(reader: Reader, path: string, text: string): RunOptions {
    const words = text.trim().split(/\s+/).filter(Boolean);
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
    if (!Object.hasOwn(OPTIONS, name)) {
        return { found: Object.hasOwn(SWITCHES, word) ? SWITCHES[word] : undefined, shown: word };
    }
    const [value, shown] = attached === "" ? [words[0] ?? "", `${word} ${words.shift()}`] : [attached, word];
    return { found: QUOTED.test(value) ? undefined : OPTIONS[name](value), shown };
}

/** The operator's shell reads the options, so a value may be quoted, and then have spaces. */
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
