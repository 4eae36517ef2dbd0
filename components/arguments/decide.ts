import type { PlainArgs } from "../args";
import { FEATURES } from "../features";
import { lazily } from "../parts/lazily";
import type { Problem } from "../rules/problem";
import { validateTexts } from "../rules/texts";
import type { Basis, MiniClusterSpec } from "../spec";
import { ifAllKnown } from "./reading";
import { checkArguments } from "./shape";

/** The spec, or all problems of the arguments. The arguments have no null and no Outputs. */
export function decideCluster(
    name: string,
    args: PlainArgs,
    secretNames: readonly string[] = [],
): { readonly spec?: MiniClusterSpec; readonly problems: Problem[] } {
    const problems = problemsOf(args, () => resolveSpec(name, args, secretNames));
    return problems.length > 0 ? { problems } : { spec: resolveSpec(name, args, secretNames), problems };
}

/** All problems of the arguments and of their spec. Rules that need an unknown value are left out. */
export function problemsOf(args: PlainArgs, spec: () => MiniClusterSpec): Problem[] {
    const misshapen = checkArguments(args);
    // The rules only work on arguments of the right shape.
    return [...missing(args), ...(misshapen.length > 0 ? misshapen : validate(spec()))];
}

/** Problems of required arguments that are missing. */
export function missing(args: Pick<PlainArgs, "image">): Problem[] {
    return args.image ? [] : [{ property: "image", reason: "is missing; give an image that has Flux and bash." }];
}

/** The spec: the arguments and all defaults. */
export function resolveSpec(resource: string, args: PlainArgs, secretNames: readonly string[] = []): MiniClusterSpec {
    return { ...lazySpec(resource, args, () => secretNames) };
}

/** The same spec, in which each feature decides when one of its values is read. */
export function lazySpec(resource: string, args: PlainArgs, secretNames: () => readonly string[]): MiniClusterSpec {
    const basis = basisOf(resource, args, secretNames);
    const decisions = FEATURES.flatMap((feature, index) => {
        const decided = once(() => feature.decide(args, basis) as Values);
        return VALUES[index].map((value) => [value, () => decided()[value]]);
    });
    const fields = { ...Object.getOwnPropertyDescriptors(basis), ...described(Object.fromEntries(decisions)) };
    return Object.defineProperties({}, fields) as MiniClusterSpec;
}

type Values = Readonly<Record<string, unknown>>;

const described = (fields: object) => Object.getOwnPropertyDescriptors(lazily(fields as Record<string, () => unknown>));

function basisOf(resource: string, args: PlainArgs, secretNames: () => readonly string[]): Basis {
    return lazily<Basis>({
        name: () => args.name ?? resource,
        mode: () => ((args.command ?? []).length > 0 ? "ephemeral" : "persistent"),
        secretNames: () => [...secretNames()].sort(),
    });
}

/** The names of each feature's values. They are the same for all arguments. */
const VALUES = FEATURES.map((feature) =>
    Object.keys(feature.decide({ image: "" }, { name: "", mode: "persistent", secretNames: [] })),
);

function once<T>(compute: () => T): () => T {
    let done: { readonly value: T } | undefined;
    return () => (done ??= { value: compute() }).value;
}

/** All problems of a cluster at once, so that the user can correct them together. */
export function validate(spec: MiniClusterSpec): Problem[] {
    const rules = [...FEATURES.map((feature) => () => feature.problems?.(spec)), () => validateTexts(spec)];
    return rules.flatMap((rule) => ifAllKnown(rule) ?? []);
}
