import * as pulumi from "@pulumi/pulumi";

import type { PlainArgs } from "../args";
import type { LaterSpec, PlacedSpec } from "../children/laterSpec";
import { placeSpec } from "../features/network";
import type { MiniClusterSpec } from "../spec";
import { lazySpec } from "./decide";
import { dropNulls } from "./dropNulls";
import { opened } from "./outputs";
import { copied, ifAllKnown, openAll, Reading, type Values, withValues } from "./reading";

/** The arguments with their values, and with the Outputs from which these come. */
export interface OpenArguments {
    /** Default of the Kubernetes name. */
    readonly defaultName: string;
    readonly asked: Parts;
    readonly opened: Parts;
    readonly values: Values;
}

interface Parts {
    readonly args: PlainArgs;
    /** Names of the variables whose values are in the Secret. */
    readonly secretNames: readonly string[];
    readonly namespace?: string;
}

/** Opens the Outputs in the arguments that the spec describes. */
export async function openArguments(
    defaultName: string,
    args: object,
    secretNames: pulumi.Input<string[]>,
): Promise<OpenArguments> {
    const asked = { args, secretNames };
    const values = await openAll(asked);
    const all = withValues(asked, values) as Parts;
    return { defaultName, asked: asked as unknown as Parts, opened: { ...all, args: dropNulls(all.args) }, values };
}

/** The spec. `reading` records the Outputs from which its values come when they are read. */
export function specOf(open: OpenArguments, reading = new Reading(open.values)): MiniClusterSpec {
    const parts = reading.view(open.opened, open.asked);
    return lazySpec(open.defaultName, parts.args, () => parts.secretNames);
}

/** The spec of arguments that are still being opened. */
export function laterSpec(open: Promise<OpenArguments>): LaterSpec {
    return {
        apply: (part) => partOf(open, (spec) => part(spec)),
        in: (namespace, check) => placedSpec(placedArguments(open, namespace, check)),
    };
}

function placedSpec(open: Promise<OpenArguments>): PlacedSpec {
    return {
        apply: (part) => partOf(open, (spec, namespace) => part(placeSpec(spec, namespace), namespace)),
    };
}

/** The arguments with the namespace as one of them. */
async function placedArguments(
    opening: Promise<OpenArguments>,
    namespace: pulumi.Output<string>,
    check?: (spec: MiniClusterSpec, namespace: string) => void,
): Promise<OpenArguments> {
    const [open, found] = await Promise.all([opening, opened(namespace)]);
    ifAllKnown(() => found.known && check?.(specOf(open), found.value as string));
    return {
        ...open,
        asked: { ...open.asked, namespace: namespace as unknown as string },
        opened: { ...open.opened, namespace: found.value },
        values: new Map([...open.values, [namespace, found]]),
    };
}

function partOf<T>(
    open: Promise<OpenArguments>,
    part: (spec: MiniClusterSpec, namespace: string) => T,
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
