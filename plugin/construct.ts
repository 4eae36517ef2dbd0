import * as pulumi from "@pulumi/pulumi";
import type { ConstructResult } from "@pulumi/pulumi/provider";

import { ifKnown } from "../components/arguments/outputs";
import { problemsOfCluster } from "../components/arguments/resolve";
import { FluxJob, problemsOfJob } from "../components/fluxJob/fluxJob";
import { MiniCluster } from "../components/miniCluster";
import type { Json } from "../provider/contract/object";
import { describeProblems, type Problem } from "../components/rules/problem";
import { outputsOf } from "./schema";

interface Component {
    readonly make: new (name: string, args: Json, opts: Json) => pulumi.ComponentResource;
    readonly problems: (
        args: Json,
        name: string,
        options: pulumi.ComponentResourceOptions,
    ) => Promise<readonly Problem[]>;
}

const COMPONENTS: Readonly<Record<string, Component | undefined>> = {
    "flux-minicluster:index:FluxJob": { make: FluxJob, problems: problemsOfJob },
    "flux-minicluster:index:MiniCluster": { make: MiniCluster, problems: problemsOfCluster },
};

/** Makes a component for a program in another language. */
export async function construct(
    name: string,
    type: string,
    inputs: pulumi.Inputs,
    options: pulumi.ComponentResourceOptions,
): Promise<ConstructResult> {
    const known = COMPONENTS[type];
    if (known === undefined) {
        throw new Error(`The package flux-minicluster has no resource ${type}.`);
    }
    // An error of an Output would reach the user once for each child, so the arguments are judged before.
    const problems = await known.problems(inputs, name, options);
    if (problems.length > 0) {
        // Without a list of properties: the engine would print their values, which may be secrets.
        const message = describeProblems(name, problems, type.split(":").at(-1));
        throw new pulumi.InputPropertiesError({ message, errors: [] });
    }
    const component = new known.make(name, inputs, await withDeletedWith(options));
    const outputs = outputsOf(type).map((output) => [output, component[output as keyof typeof component]]);
    return { urn: component.urn, state: Object.fromEntries(outputs) };
}

/** The SDK's server takes the URN in this option for the reference of a provider, whose last part is an id. */
async function withDeletedWith(options: pulumi.ComponentResourceOptions): Promise<pulumi.ComponentResourceOptions> {
    const { deletedWith } = options;
    if (!pulumi.ProviderResource.isInstance(deletedWith)) {
        return options;
    }
    const urn = await ifKnown(pulumi.interpolate`${deletedWith.urn}::${deletedWith.id}`);
    return { ...options, deletedWith: new pulumi.DependencyResource(urn ?? "") };
}
