import * as pulumi from "@pulumi/pulumi";

import { ifKnown, isLater } from "../arguments/outputs";

/** Of the objects that a preview looks for. */
const KIND = /[:$]kubernetes:core\/v1:(Namespace|PersistentVolumeClaim)::/;

/** Resources that may make any objects. */
const ANY = /[:$]kubernetes:(helm|yaml|kustomize)[^:]*:[^$]*::/;
const BOTH = ["Namespace", "PersistentVolumeClaim"];

/**
 * Kinds of the objects that the program makes, or may make, before a value is known, or before a resource with these options.
 * Undefined if there are none.
 */
export async function awaited(
    value: pulumi.Output<unknown>,
    { dependsOn, parent }: pulumi.ComponentResourceOptions = {},
): Promise<string[] | undefined> {
    // As Pulumi does, lists in lists and empty values are taken.
    const given: readonly unknown[] = [dependsOn].flat(Infinity);
    const named = given.filter((one) => pulumi.Resource.isInstance(one));
    if (isHidden(parent) || given.some((one) => isLater(one) || isHidden(one))) {
        return BOTH;
    }
    // A value that can't be made fails the update by itself.
    const sources = await pulumi.getAllResources(value).catch(() => []);
    const urns = await Promise.all([...sources, ...named].map(({ urn }) => ifKnown(urn)));
    const kinds = urns.flatMap((urn = "") => (ANY.test(urn) ? BOTH : (KIND.exec(urn)?.[1] ?? [])));
    return kinds.length === 0 ? undefined : [...new Set(kinds)].sort();
}

/** True for a component, whose children aren't known here. */
function isHidden(one: unknown): boolean {
    return pulumi.ComponentResource.isInstance(one);
}
