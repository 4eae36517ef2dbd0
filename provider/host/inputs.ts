import type { Input, Unwrap } from "@pulumi/pulumi";

/**
 * The arguments of a resource as its verbs receive them: plain values, and the URN to which progress lines are written.
 */
export type Inputs<Args extends object> = { readonly [Name in keyof Args]: Unwrap<Args[Name]> } & {
    readonly resourceUrn?: string;
};

/** Arguments that name the Kubernetes cluster. */
export interface AccessArgs {
    kubeconfig?: Input<string>;
    context?: Input<string>;
}

/** The properties that a resource has beside its inputs, with no values. */
export type OnlyOutputs<Outputs extends Inputs, Inputs extends object> = {
    readonly [Name in Exclude<keyof Outputs, keyof Inputs>]-?: undefined;
};

/** The inputs among the properties of a resource. Properties of Pulumi's own begin with two underscores. */
export function inputsOf<Outputs extends Inputs, Inputs extends object>(
    props: Outputs,
    outputs: OnlyOutputs<Outputs, Inputs>,
): Inputs {
    const isInput = ([name, value]: [string, unknown]) =>
        value !== undefined && !Object.hasOwn(outputs, name) && !name.startsWith("__");
    return Object.fromEntries(Object.entries(props).filter(isInput)) as Inputs;
}
