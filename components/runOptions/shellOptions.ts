import type { RunOptions } from "../../provider/contract/runOptions";
import type { Problem } from "../rules/problem";
import { validateWord } from "../rules/command";

/** The shell options that other arguments set, and those arguments. */
const OWN: readonly (readonly [RegExp, string])[] = [
    [/^signal(\.|$)/, "signal"],
    [/^per-resource(\.|$)/, "tasksPerNode"],
    [/^(input|input\.stdin(\.(path|type))?)$/, "inputFile"],
    [/^(output|output\.stdout(\.(path|type))?)$/, "outputFile"],
    [/^output\.stderr(\.(path|type))?$/, "errorFile"],
];

/** Values that Flux' job shell knows. It takes any other value for `on`. */
const AFFINITIES: Readonly<Record<string, RegExp>> = {
    "cpu-affinity": /^((verbose|dry-run),?)*(on|off|per-task|map:.+)?$/,
    "gpu-affinity": /^(on|off|per-task|map:.+)$/,
};

/** Refuses names that Flux can't read, names that other arguments set, and values that Flux would ignore. */
export function validateShellOptions({ shellOptions = {} }: RunOptions): Problem[] {
    return Object.entries(shellOptions).flatMap(([name, value]) => {
        const property = `shellOptions.${name}`;
        return [...validateName(property, name), ...validateValue(property, name, value)];
    });
}

function validateName(property: string, name: string): Problem[] {
    // `^NAME=FILE` makes Flux read a file of the lead.
    if (!/^[^\s=^\0-\x1f][^\s=\0-\x1f]*$/.test(name)) {
        return [{ property, reason: "is not a name of a shell option. Use letters, digits, '-', '_' and '.'." }];
    }
    const own = OWN.find(([pattern]) => pattern.test(name));
    return own === undefined ? [] : [{ property, reason: `is set by the argument ${own[1]}. Use that argument.` }];
}

function validateValue(property: string, name: string, value: string): Problem[] {
    // The lead reads one option in each line.
    if (/[\n\r]/.test(value)) {
        return [{ property, reason: "has a line break. Remove it; JSON needs none." }];
    }
    const affinity = Object.hasOwn(AFFINITIES, name) ? AFFINITIES[name] : undefined;
    const expected = "on, off, per-task, or map: with one set of numbers for each task";
    return affinity === undefined || affinity.test(value)
        ? validateWord(property, value)
        : [{ property, reason: `is "${value}"; it must be ${expected}.` }];
}
