import { ARGUMENTS_IMMEDIATE } from "../generated/shapes";
import type { Problem } from "../rules/problem";
import { isLater } from "./outputs";
import type { Json } from "../../provider/contract/object";

/**
 * Refuses Outputs in arguments that decide which children exist, which outputs are secret and which files are read, and in
 * lists of them.
 */
export function immediateOnly(args: object, immediate = ARGUMENTS_IMMEDIATE): Problem[] {
    const reason = "is an Output, but Pulumi needs the value before any Output is known. Give the value itself.";
    return immediate.flatMap((path) => latersAt(path, valueAt(args, path))).map((property) => ({ property, reason }));
}

/** The properties of Outputs: a value itself, or items of a list. */
function latersAt(path: string, value: unknown): string[] {
    return Array.isArray(value)
        ? value.flatMap((item, index) => (isLater(item) ? [`${path}[${index}]`] : []))
        : isLater(value)
          ? [path]
          : [];
}

/** The value at a path. Undefined if the value is inside of an Output, which is refused itself. */
function valueAt(args: object, path: string): unknown {
    return path
        .split(".")
        .reduce<unknown>((value, name) => (isLater(value) ? undefined : (value as Json)?.[name]), args);
}
