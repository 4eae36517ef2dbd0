import * as pulumi from "@pulumi/pulumi";

import { describeProblems, type Problem } from "../rules/problem";
import { dropNulls } from "./dropNulls";
import { exposedSecrets } from "./exposedSecrets";
import type { Fields } from "./fields";
import { immediateOnly } from "./immediateOnly";
import { isPlain } from "./outputs";
import { ifAllKnown, openAll, Reading, type Values, withValues } from "./reading";
import { checkArguments } from "./shape";

/** How the arguments of a component become a spec. `Args` has neither Outputs nor null. */
export interface Description<Args extends object, Spec> {
    readonly shapes: Fields;
    /** Arguments that can't be Outputs. */
    readonly immediate: readonly string[];
    /** Problems of required arguments that are missing. It gets arguments with Outputs too. */
    missing(args: Args): Problem[];
    /** The arguments with all defaults. Each value is decided when it is read. */
    decide(args: Args, secretNames: () => readonly string[]): Spec;
    /** The rules. One that needs an unknown value is left out. */
    rules(spec: Spec): readonly (() => readonly Problem[] | undefined)[];
}

export interface Decision<Spec> {
    /** Undefined if there are problems. */
    readonly spec?: Spec;
    readonly problems: Problem[];
}

/** The spec, or all problems of arguments without Outputs. */
export function decide<Args extends object, Spec extends object>(
    of: Description<Args, Spec>,
    args: Args,
    secretNames: readonly string[],
): Decision<Spec> {
    const spec = of.decide(args, () => secretNames);
    const problems = problemsOf(of, args, spec);
    return problems.length > 0 ? { problems } : { spec: { ...spec }, problems };
}

/** The rules only work on arguments of the right shape. */
function problemsOf<Args extends object, Spec>(of: Description<Args, Spec>, args: Args, spec: Spec): Problem[] {
    const misshapen = checkArguments(args, of.shapes);
    return [...of.missing(args), ...(misshapen.length > 0 ? misshapen : allOf(of.rules(spec)))];
}

/** The problems that the rules find. Several rules may find the same one, such as that of a mount in several containers. */
export function allOf(rules: readonly (() => readonly Problem[] | undefined)[]): Problem[] {
    const problems = rules.flatMap((rule) => ifAllKnown(rule) ?? []);
    return [...new Map(problems.map((problem) => [JSON.stringify(problem), problem])).values()];
}

/** Problems that are seen without opening an Output: wrong shapes, and with them what is missing. */
export function misshapenProblems<Args extends object>(of: Description<Args, unknown>, args: object): Problem[] {
    const misshapen = [...immediateOnly(args, of.immediate), ...checkArguments(args, of.shapes)];
    return misshapen.length > 0 ? [...of.missing(args as Args), ...misshapen] : [];
}

/** Arguments with their values, and with the Outputs from which these come. */
export interface OpenArguments<Spec> {
    readonly description: Description<object, Spec>;
    readonly asked: Parts;
    readonly opened: Parts;
    readonly values: Values;
}

interface Parts {
    readonly args: object;
    /** Names of the variables whose values are in the Secret. */
    readonly secretNames: readonly string[];
    readonly namespace?: string;
}

/** The spec. `reading` records the Outputs from which its values come when they are read. */
export function specOf<Spec>(open: OpenArguments<Spec>, reading = new Reading(open.values)): Spec {
    const parts = reading.view(open.opened, open.asked);
    return open.description.decide(parts.args, () => parts.secretNames);
}

export interface Judged<Spec> {
    /** Undefined if an argument must not be a secret. */
    readonly open?: OpenArguments<Spec>;
    readonly problems: readonly Problem[];
}

/** Opens the Outputs in the arguments that the spec describes, and judges them. `all` may not expose a secret. */
export async function judge<Args extends object, Spec>(
    of: Description<Args, Spec>,
    all: object,
    described: { readonly args: object; readonly secretNames: pulumi.Input<string[]> },
): Promise<Judged<Spec>> {
    const [exposed, values] = await Promise.all([exposedSecrets(all), openAll(described)]);
    if (exposed.length > 0) {
        return { problems: exposed };
    }
    const found = withValues(described, values) as Parts;
    const opened = { ...found, args: { ...dropNulls(found.args, of.shapes), ...plainOf(described.args) } };
    const open: OpenArguments<Spec> = { description: of, asked: described as unknown as Parts, opened, values };
    return { open, problems: problemsOf(of, opened.args as Args, specOf(open)) };
}

/** The arguments without Outputs, which have no nulls. They stay the same objects, so a feature may remember what it has read. */
function plainOf(args: object): object {
    return Object.fromEntries(Object.entries(args).filter(([, value]) => typeof value === "object" && isPlain(value)));
}

/** Throws the problems as one error. */
export function refuse(
    resource: pulumi.Resource,
    name: string,
    problems: readonly Problem[],
    kind = "MiniCluster",
): void {
    if (problems.length > 0) {
        throw new pulumi.ResourceError(describeProblems(name, problems, kind), resource, true);
    }
}

/** The arguments without some of them. */
export function omit(args: object, names: readonly string[]): object {
    return Object.fromEntries(Object.entries(args).filter(([name]) => !names.includes(name)));
}
