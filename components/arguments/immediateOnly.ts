import { ARGUMENTS_IMMEDIATE } from "../generated/shapes";
import type { Problem } from "../rules/problem";
import { isLater } from "./outputs";
import type { Json } from "../../provider/contract/object";

/** Refuses Outputs in arguments that decide which children exist and which outputs are secret. */
export function immediateOnly(args: object, immediate = ARGUMENTS_IMMEDIATE): Problem[] {
    const reason = "is an Output, but Pulumi needs the value before any Output is known. Give the value itself.";
    return immediate.filter((path) => isLater(valueAt(args, path))).map((property) => ({ property, reason }));
}

/** The value at a path. Undefined if the value is inside of an Output, which is refused itself. */
function valueAt(args: object, path: string): unknown {
    return path
        .split(".")
        .reduce<unknown>((value, name) => (isLater(value) ? undefined : (value as Json)?.[name]), args);
}
