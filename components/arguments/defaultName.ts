import * as pulumi from "@pulumi/pulumi";

import { ifKnown, isPlain } from "./outputs";
import type { Problem } from "../rules/problem";

export type Aliases = pulumi.ComponentResourceOptions["aliases"];

/** The default of the argument `name`, or why there is none. */
export interface DefaultName {
    readonly name: string;
    readonly problems: readonly Problem[];
}

/**
 * The default of the argument `name`: the resource's Pulumi name before it was renamed by an alias, so that a renamed
 * MiniCluster keeps its objects. A Promise if an alias has an Output.
 */
export function defaultName(name: string, aliases: Aliases = []): DefaultName | Promise<DefaultName> {
    const names = aliases.map(nameIn);
    if (isPlain(names)) {
        return decide(name, names as (string | undefined)[]);
    }
    const known = names.map((one) => ifKnown(pulumi.output(one)));
    return Promise.all(known).then((all) => decide(name, all));
}

/** The problems of the default if the argument isn't given. */
export function problemsOfName(args: { readonly name?: string }, { problems }: DefaultName): readonly Problem[] {
    return args.name === undefined ? problems : [];
}

/** The name in an alias; undefined for an alias with another parent, type, project or stack alone. */
function nameIn(alias: NonNullable<Aliases>[number]): pulumi.Input<string | undefined> {
    const named = (of: string | pulumi.Alias) =>
        typeof of === "string" ? of.slice(of.lastIndexOf("::") + 2) : of.name;
    if (pulumi.Output.isInstance(alias) || alias instanceof Promise) {
        return pulumi.output(alias as pulumi.Input<string>).apply(named as (of: string) => string);
    }
    return named(alias);
}

/**
 * Several former names are refused: the name in Kubernetes may be any of them, and the program doesn't know the state. A
 * wrong choice would replace the cluster.
 */
function decide(name: string, names: readonly (string | undefined)[]): DefaultName {
    const former = [...new Set(names)].filter((one) => one !== undefined && one !== name) as string[];
    if (former.length < 2) {
        return { name: former[0] ?? name, problems: [] };
    }
    const list = former.map((one) => `"${one}"`).join(", ");
    const reason =
        `has no default, because opts.aliases has several names: ${list}. ` +
        "Give the name of the Job in Kubernetes, usually the oldest of them.";
    return { name, problems: [{ property: "name", reason }] };
}
