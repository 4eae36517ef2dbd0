import type { PlainArgs } from "../args";
import { FEATURES } from "../features";
import { ARGUMENTS, ARGUMENTS_IMMEDIATE } from "../generated/shapes";
import { lazily } from "../parts/lazily";
import { validateInitMounts, validateMounts } from "../pod/mountRules";
import { requireImage } from "../rules/names";
import type { Problem } from "../rules/problem";
import { validateTexts } from "../rules/texts";
import type { Basis, MiniClusterSpec } from "../spec";
import { allOf, decide, type Decision, type Description } from "./describe";
import { merged, withPaths } from "./merged";

/** A cluster whose Kubernetes name is `name`, unless its arguments give one. */
export function clusterDescription(name: string): Description<PlainArgs, MiniClusterSpec> {
    return {
        shapes: ARGUMENTS,
        immediate: ARGUMENTS_IMMEDIATE,
        missing: ({ image }) => requireImage("image", image, "an image that has Flux and bash"),
        decide: (args, secretNames) => lazySpec(name, args, secretNames),
        rules: (spec) => [
            ...FEATURES.map((feature) => () => withPaths(feature.problems?.(spec), spec)),
            () => validateTexts(spec),
            () => validateMounts(spec),
            () => validateInitMounts(spec),
        ],
    };
}

/** The spec, or all problems of the arguments. The arguments have no null and no Outputs. */
export function decideCluster(
    name: string,
    args: PlainArgs,
    secretNames: readonly string[] = [],
): Decision<MiniClusterSpec> {
    return decide(clusterDescription(name), args, secretNames);
}

/** The spec: the arguments and all defaults. */
export function resolveSpec(resource: string, args: PlainArgs, secretNames: readonly string[] = []): MiniClusterSpec {
    return { ...lazySpec(resource, args, () => secretNames) };
}

/** The same spec, in which each feature decides when one of its values is read. */
function lazySpec(resource: string, given: PlainArgs, secretNames: () => readonly string[]): MiniClusterSpec {
    const args = merged(given);
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
    return allOf(clusterDescription(spec.name).rules(spec));
}
