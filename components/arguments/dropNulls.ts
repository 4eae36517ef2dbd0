import * as pulumi from "@pulumi/pulumi";

import { ARGUMENTS } from "../generated/shapes";
import type { Fields, Shape } from "./fields";
import { isLater } from "./outputs";

/**
 * The arguments without undefined and null, at every depth that has named fields. In JavaScript, and in the SDKs of
 * other languages, null leaves an argument out, and so does an Output that is null. A null in a list, in a map or in a
 * Kubernetes object stays.
 */
export function dropNulls<T extends object>(args: T, fields: Fields = ARGUMENTS): T {
    // Unknown names stay, whatever their values are, so that they are reported.
    const entries = Object.entries(args).filter(
        ([name, value]) => !Object.hasOwn(fields, name) || (value !== undefined && value !== null),
    );
    return Object.fromEntries(entries.map(([name, value]) => [name, dropNullsIn(value, fieldOf(fields, name))])) as T;
}

function fieldOf(fields: Fields, name: string): Shape | undefined {
    return Object.hasOwn(fields, name) ? fields[name] : undefined;
}

function dropNullsIn(value: unknown, shape: Shape | undefined): unknown {
    if (isLater(value)) {
        return laterOrNone(value);
    }
    if (typeof shape !== "object" || typeof value !== "object" || value === null) {
        return value;
    }
    if ("list" in shape) {
        return Array.isArray(value) ? Array.from(value, (item) => dropNullsIn(item, shape.list)) : value;
    }
    return "fields" in shape && !Array.isArray(value) ? dropNulls(value, shape.fields) : value;
}

function laterOrNone(value: pulumi.Output<unknown> | Promise<unknown>) {
    const orNone = (known: unknown) => known ?? undefined;
    return pulumi.Output.isInstance(value) ? value.apply(orNone) : value.then(orNone);
}
