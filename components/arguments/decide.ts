import type { PlainArgs } from "../args";
import { type Decisions, FEATURES } from "../features";
import type { Problem } from "../rules/problem";
import { validateTexts } from "../rules/texts";
import type { Basis, MiniClusterSpec } from "../spec";
import { checkArguments } from "./shape";

/** The spec, or all problems of the arguments. The arguments have no null and no Outputs. */
export function decideCluster(
    name: string,
    args: PlainArgs,
    secretNames: readonly string[] = [],
): { readonly spec?: MiniClusterSpec; readonly problems: Problem[] } {
    const misshapen = checkArguments(args);
    // The rules only work on arguments of the right shape.
    if (misshapen.length > 0) {
        return { problems: [...missing(args), ...misshapen] };
    }
    const spec = resolveSpec(name, args, secretNames);
    const problems = [...missing(args), ...validate(spec)];
    return problems.length > 0 ? { problems } : { spec, problems };
}

/** Problems of required arguments that are missing. */
export function missing(args: Pick<PlainArgs, "image">): Problem[] {
    return args.image ? [] : [{ property: "image", reason: "is missing; give an image that has Flux and bash." }];
}

/** The spec: the arguments and all defaults. */
export function resolveSpec(resource: string, args: PlainArgs, secretNames: readonly string[] = []): MiniClusterSpec {
    const mode = (args.command ?? []).length > 0 ? "ephemeral" : "persistent";
    const basis: Basis = { name: args.name ?? resource, mode, secretNames: [...secretNames].sort() };
    const decisions: Decisions = Object.assign({}, ...FEATURES.map((feature) => feature.decide(args, basis)));
    return { ...basis, ...decisions };
}

/** All problems of a cluster at once, so that the user can correct them together. */
export function validate(spec: MiniClusterSpec): Problem[] {
    return [...FEATURES.flatMap((feature) => feature.problems?.(spec) ?? []), ...validateTexts(spec)];
}
