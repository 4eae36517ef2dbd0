import type { PlainArgs } from "../args";
import { type Decisions, FEATURES } from "../features";
import type { Problem } from "../rules/problem";
import { validateTexts } from "../rules/texts";
import type { Basis, MiniClusterSpec } from "../spec";
import { checkArguments } from "./shape";

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

/** Decides everything that the arguments leave open. */
export function resolveSpec(resource: string, args: PlainArgs, secretNames: readonly string[] = []): MiniClusterSpec {
    const mode = (args.command ?? []).length > 0 ? "ephemeral" : "persistent";
    const basis: Basis = { name: args.name ?? resource, mode, secretNames: [...secretNames].sort() };
    const decisions: Decisions = Object.assign({}, ...FEATURES.map((feature) => feature.decide(args, basis)));
    return { ...basis, ...decisions };
}

/** Everything that is wrong with a cluster, all at once, so that nobody has to mend it piece by piece. */
export function validate(spec: MiniClusterSpec): Problem[] {
    return [...FEATURES.flatMap((feature) => feature.problems?.(spec) ?? []), ...validateTexts(spec)];
}
