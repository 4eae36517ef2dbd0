import * as pulumi from "@pulumi/pulumi";

import { ifKnown, isLater } from "../arguments/outputs";

/** Of the objects that a preview looks for. */
const KIND = /[:$]kubernetes:core\/v1:(Namespace|PersistentVolumeClaim)::/;

/**
 * Kinds of the objects that the program makes before a value is known, or before a resource with these options. Undefined if
 * there are none.
 */
export async function awaited(
    value: pulumi.Output<unknown>,
    { dependsOn = [] }: pulumi.ComponentResourceOptions = {},
): Promise<string[] | undefined> {
    const named = [dependsOn].flat().flatMap((one) => (isLater(one) ? [] : [one]));
    // A value that can't be made fails the update by itself.
    const sources = await pulumi.getAllResources(value).catch(() => []);
    const urns = await Promise.all([...sources, ...named].map(({ urn }) => ifKnown(urn)));
    const kinds = urns.flatMap((urn = "") => KIND.exec(urn)?.[1] ?? []);
    return kinds.length === 0 ? undefined : [...new Set(kinds)].sort();
}
