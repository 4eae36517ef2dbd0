import type { Reader } from "./reader";

/** Settings of the command's tasks that the operator has as options of `flux submit`. */
export interface TaskNumbers {
    coresPerTask?: number;
    gpusPerTask?: number;
}

const NAMES: Readonly<Record<string, keyof TaskNumbers>> = {
    "-c": "coresPerTask",
    "--cores-per-task": "coresPerTask",
    "-g": "gpusPerTask",
    "--gpus-per-task": "gpusPerTask",
};

/** Reads options of `flux submit`. Options without an argument get a warning. */
export function readOptions(reader: Reader, path: string, text: string): TaskNumbers {
    const numbers: TaskNumbers = {};
    const words = text.trim().split(/\s+/).filter(Boolean);
    while (words.length > 0) {
        const word = words.shift() ?? "";
        const [, name = "", attached = ""] = /^(--[a-z-]+|-[a-zA-Z])=?(.*)$/.exec(word) ?? [];
        const number = NAMES[name];
        if (number !== undefined) {
            numbers[number] = Number(attached || words.shift());
        } else {
            const option = name === "-o" && attached === "" ? `-o ${words.shift()}` : word;
            reader.warn(path, `${option} has no counterpart; use launcher, and flux run ${option} in the command.`);
        }
    }
    return numbers;
}
