import type { OutputArgs } from "../parts/output";
import type { Problem } from "../rules/problem";
import { isLater } from "./later";

interface Immediate {
    readonly keygen?: unknown;
    readonly networkPolicy?: unknown;
    readonly output?: OutputArgs;
}

/** Refuses Outputs where Pulumi has to know the value first: the children and the secret outputs follow from it. */
export function neverLater({ keygen, networkPolicy, output }: Immediate): Problem[] {
    const reason = "is an Output, but Pulumi has to know it before any Output is known. Give the value itself.";
    const values = { keygen, networkPolicy, output, "output.secret": isLater(output) ? undefined : output?.secret };
    return Object.entries(values).flatMap(([property, value]) => (isLater(value) ? [{ property, reason }] : []));
}
