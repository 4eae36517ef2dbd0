import type { Problem } from "./problem";
import { checkArguments } from "./shape";
import { type MiniClusterSpec, type PlainArgs, resolveSpec } from "./spec";
import { validate } from "./validate";

/** The spec, or all that is wrong with the arguments, which have no null and no Outputs. */
export function decideCluster(
    name: string,
    args: PlainArgs,
    secretNames: readonly string[] = [],
): { readonly spec?: MiniClusterSpec; readonly problems: Problem[] } {
    const misshapen = checkArguments(args);
    // The rules can only judge what has its shape.
    if (misshapen.length > 0) {
        return { problems: [...missing(args), ...misshapen] };
    }
    const spec = resolveSpec(name, args, secretNames);
    const problems = [...missing(args), ...validate(spec)];
    return problems.length > 0 ? { problems } : { spec, problems };
}

/** What has no default. */
export function missing(args: Pick<PlainArgs, "image">): Problem[] {
    return args.image ? [] : [{ property: "image", reason: "is missing; give an image that has Flux and bash." }];
}
