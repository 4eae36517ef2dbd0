import { ARGUMENTS_IMMEDIATE } from "../generated/shapes";
import type { Problem } from "../rules/problem";
import { isLater } from "./later";

/** Refuses Outputs where Pulumi has to know the value first: the children and the secret outputs follow from it. */
export function neverLater(args: object, immediate = ARGUMENTS_IMMEDIATE): Problem[] {
    const reason = "is an Output, but Pulumi has to know it before any Output is known. Give the value itself.";
    return immediate.filter((path) => isLater(valueAt(args, path))).map((property) => ({ property, reason }));
}

/** Undefined too where it is in an Output, which is refused itself. */
function valueAt(args: object, path: string): unknown {
    return path
        .split(".")
        .reduce<unknown>((value, name) => (isLater(value) ? undefined : (value as any)?.[name]), args);
}
