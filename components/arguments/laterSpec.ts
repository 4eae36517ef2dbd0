import * as pulumi from "@pulumi/pulumi";

import { placeSpec } from "../features/network";
import type { MiniClusterSpec } from "../spec";
import { type OpenArguments, specOf } from "./describe";
import { opened } from "./outputs";
import { copied, ifAllKnown, Reading } from "./reading";

/**
 * A spec that comes later. What is made from it depends only on the arguments that it uses, and is unknown only if one
 * of these is unknown.
 */
export interface Later<Spec> {
    /** Makes a part, as `apply` of an Output. */
    apply<T>(part: (spec: Spec) => T): pulumi.Output<pulumi.Unwrap<T>>;
}

export interface LaterSpec extends Later<MiniClusterSpec> {
    /** The spec in a namespace. `check` throws if the spec can't be there. */
    in(namespace: pulumi.Output<string>, check?: (spec: MiniClusterSpec, namespace: string) => void): PlacedSpec;
}

/** A spec whose host names are those of its namespace. */
export interface PlacedSpec {
    apply<T>(part: (spec: MiniClusterSpec, namespace: string) => T): pulumi.Output<pulumi.Unwrap<T>>;
}

type OpenCluster = OpenArguments<MiniClusterSpec>;

/** The spec of arguments that are still being opened. */
export function later<Spec>(open: Promise<OpenArguments<Spec>>): Later<Spec> {
    return { apply: (part) => partOf(open, (spec) => part(spec)) };
}

/** The same of a cluster. */
export function laterSpec(open: Promise<OpenCluster>): LaterSpec {
    return { ...later(open), in: (namespace, check) => placedSpec(placedArguments(open, namespace, check)) };
}

function placedSpec(open: Promise<OpenCluster>): PlacedSpec {
    return {
        apply: (part) => partOf(open, (spec, namespace) => part(placeSpec(spec, namespace), namespace)),
    };
}

/** The arguments with the namespace as one of them. */
async function placedArguments(
    opening: Promise<OpenCluster>,
    namespace: pulumi.Output<string>,
    check?: (spec: MiniClusterSpec, namespace: string) => void,
): Promise<OpenCluster> {
    const [open, found] = await Promise.all([opening, opened(namespace)]);
    ifAllKnown(() => found.known && check?.(specOf(open), found.value as string));
    return {
        ...open,
        asked: { ...open.asked, namespace: namespace as unknown as string },
        opened: { ...open.opened, namespace: found.value },
        values: new Map([...open.values, [namespace, found]]),
    };
}

function partOf<Spec, T>(
    open: Promise<OpenArguments<Spec>>,
    part: (spec: Spec, namespace: string) => T,
): pulumi.Output<pulumi.Unwrap<T>> {
    const made = open.then((of) => {
        const reading = new Reading(of.values);
        const namespace = () => reading.view(of.opened, of.asked).namespace as string;
        const found = ifAllKnown(() => ({ part: copied(part(specOf(of, reading), namespace())) }));
        // An unknown part may depend on everything that it hasn't read yet.
        const sources = found === undefined ? of.values.keys() : reading.used;
        return pulumi.all([...sources]).apply(() => found?.part as T);
    });
    return pulumi.output(made) as pulumi.Output<pulumi.Unwrap<T>>;
}
